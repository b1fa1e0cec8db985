import type { Socket } from 'node:net'
import type { Fault } from './fault.ts'

/** One connection through the proxy. */
export interface Link {
  /** Whether bytes of the connection were dropped. */
  hasLost(): boolean
  cut(): void
  ended: Promise<void>
}

/** Joins two connected sockets. `outside` must be paused. Applies the current fault to every chunk. */
export function createLink(outside: Socket, inside: Socket, fault: () => Fault | undefined): Link {
  let lost = false

  function pipe(from: Socket, to: Socket, isAnswer: boolean): void {
    /**
     * Delayed actions. Every timer runs the first action of the queue, even if it was set for another one, so the order
     * is kept.
     */
    const queue: (() => void)[] = []
    let due = 0
    const enqueue = (act: () => void, ms: number) => {
      due = Math.max(due, performance.now() + ms)
      queue.push(act)
      setTimeout(() => queue.shift()?.(), due - performance.now())
    }
    const send = (chunk: Buffer) => {
      if (to.writable && !to.write(chunk)) {
        from.pause()
        to.once('drain', () => from.resume())
      }
    }
    from.on('data', (chunk: Buffer) => {
      const now = fault()
      if (now?.kind === 'silence' || (now?.kind === 'drop-answers' && isAnswer)) lost = true
      else if (now?.kind === 'delay') enqueue(() => send(chunk), now.ms)
      else if (queue.length > 0) enqueue(() => send(chunk), 0)
      else send(chunk)
    })
    from.on('end', () => {
      // During a silence, neither end may notice that the other one has closed the connection.
      if (fault()?.kind === 'silence') lost = true
      else if (queue.length > 0) enqueue(() => to.end(), 0)
      else to.end()
    })
  }

  pipe(outside, inside, false)
  pipe(inside, outside, true)
  const cut = () => {
    outside.resetAndDestroy()
    inside.resetAndDestroy()
  }
  const ended = Promise.all(
    [outside, inside].map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.setNoDelay(true)
          socket.on('error', () => undefined)
          socket.on('close', (hadError) => {
            resolve()
            if (fault()?.kind === 'silence') lost = true
            else if (hadError) cut()
          })
        }),
    ),
  ).then(() => undefined)
  outside.resume()
  return { hasLost: () => lost, cut, ended }
}
