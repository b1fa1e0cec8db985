import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'

export interface Exchange {
  /** Resolves when the answer has been handed on or the caller has left; rejects with what ended it before its head. */
  over: Promise<void>
  /** Nothing more is wanted: the caller is gone, or its answer was ended here. Does nothing once it is over. */
  leave(): void
}

interface AnswerListener {
  /** Puts the head of the answer on the response. What it throws rejects the exchange, and the body is dropped. */
  onHead(status: number, headers: IncomingHttpHeaders): void
  /** The answer ended behind its head and before it was whole. */
  onCut(error: Error): void
}

const unwanted = new Error('Nobody wants the answer any more.')

/**
 * Hands the parts of an answer on as they come, without a stream in between: a stream and a pipeline of its own cost more
 * than all else that is done for a request.
 */
class Handing implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse
  readonly #listener: AnswerListener
  readonly #resolve: () => void
  readonly #reject: (error: unknown) => void
  #controller: Dispatcher.DispatchController | undefined
  #hasLeft = false
  #hasHead = false
  #isOver = false
  #refusal: { error: unknown } | undefined
  /** Bytes of the body that are still to come, where the head says how many there are. */
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
    // Of 1xx the caller was told by this side, where it asked.
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
    // A stream of events is ended with its key. To write to what has ended would be an error that nobody hears.
    if (this.#response.writableEnded) {
      this.leave()
      return
    }
    this.#left -= chunk.length
    // Head and body go out together when this is all of it.
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
      // The head has been sent: the caller learns of it by the connection, which ends before the whole has come.
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
  const handing = new Handing(response, listener, resolve, reject)
  dispatcher.dispatch(wanted, handing)
  return { over: promise, leave: () => handing.leave() }
}
