import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'

export interface Exchange {
  /** Resolves when the answer is complete or the caller has left; rejects with an error that occurs before the head. */
  over: Promise<void>
  /** Aborts the exchange, because the caller left or the gateway ended the answer. No effect once it is over. */
  leave(): void
}

interface AnswerListener {
  /** Writes the head to the response. If it throws, the exchange rejects with that error and drops the body. */
  onHead(status: number, headers: IncomingHttpHeaders): void
  /** The answer broke off after its head. */
  onCut(error: Error): void
}

const unwanted = new Error('The caller left.')

/**
 * Passes the parts of an answer on as they arrive. A stream with its own pipeline would cost more than everything else
 * that the gateway does for a request.
 */
class AnswerHandler implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse
  readonly #listener: AnswerListener
  readonly #resolve: () => void
  readonly #reject: (error: unknown) => void
  #controller: Dispatcher.DispatchController | undefined
  #hasLeft = false
  #hasHead = false
  #isOver = false
  #refusal: { error: unknown } | undefined
  /** Remaining bytes of the body, if the head states its length. */
  #left = Number.NaN

  constructor(
    response: ServerResponse,
    listener: AnswerListener,
    resolve: () => void,
    reject: (error: unknown) => void,
  ) {
    this.#response = response
    this.#listener = listener
    this.#resolve = resolve
    this.#reject = reject
  }

  leave(): void {
    if (this.#hasLeft || this.#isOver) return
    this.#hasLeft = true
    this.#controller?.abort(unwanted)
    this.#resolve()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#hasLeft) controller.abort(unwanted)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // The gateway itself answers 100-continue; other 1xx are not forwarded.
    if (status < 200 || this.#hasLeft) return
    this.#hasHead = true
    this.#left = Number(headers['content-length'] ?? Number.NaN)
    try {
      this.#listener.onHead(status, headers)
    } catch (error) {
      this.#refusal = { error }
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#hasLeft || this.#refusal !== undefined) return
    // A stream of events ends with its key. Writing to an ended response would be an unhandled error.
    if (this.#response.writableEnded) {
      this.leave()
      return
    }
    this.#left -= chunk.length
    // If this chunk completes the body, head and body go out together.
    if (this.#left === 0) this.#response.end(chunk)
    else if (!this.#response.write(chunk)) {
      controller.pause()
      this.#response.once('drain', () => controller.resume())
    }
  }

  onResponseEnd(): void {
    this.#isOver = true
    if (this.#refusal !== undefined) this.#reject(this.#refusal.error)
    else {
      if (!this.#response.writableEnded) this.#response.end()
      this.#resolve()
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#hasLeft) return
    this.#isOver = true
    if (this.#refusal !== undefined) this.#reject(this.#refusal.error)
    else if (this.#hasHead) {
      this.#listener.onCut(error)
      // The head is sent, so the only way to report the failure is to break the connection.
      this.#response.destroy()
      this.#resolve()
    } else this.#reject(error)
  }
}

export function exchange(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  wanted: Dispatcher.DispatchOptions,
  response: ServerResponse,
  listener: AnswerListener,
): Exchange {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const handler = new AnswerHandler(response, listener, resolve, reject)
  dispatcher.dispatch(wanted, handler)
  return { over: promise, leave: () => handler.leave() }
}
