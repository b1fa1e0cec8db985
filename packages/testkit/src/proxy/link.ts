import type { Socket } from 'node:net'
import type { Fault } from './fault.ts'

/** One connection through the proxy. */
export interface Link {
  /** Whether bytes of it were dropped. */
  hasLost(): boolean
  cut(): void
  ended: Promise<void>
}

/** Joins two connected sockets, of which `outside` is paused; every chunk gets the fault of its moment. */
export function createLink(outside: Socket, inside: Socket, fault: () => Fault | undefined): Link {
  let lost = false

  function carry(from: Socket, to: Socket, isAnswer: boolean): void {
    /** Delayed actions. Whichever timer fires first runs the first in line, so nothing overtakes. */
    const line: (() => void)[] = []
    let due = 0
    const inTurn = (act: () => void, ms: number) => {
      due = Math.max(due, performance.now() + ms)
      line.push(act)
      setTimeout(() => line.shift()?.(), due - performance.now())
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
      else if (now?.kind === 'delay') inTurn(() => send(chunk), now.ms)
      else if (line.length > 0) inTurn(() => send(chunk), 0)
      else send(chunk)
    })
    from.on('end', () => {
      // In silence the other end does not notice that this one is gone.
      if (fault()?.kind === 'silence') lost = true
      else if (line.length > 0) inTurn(() => to.end(), 0)
      else to.end()
    })
  }

  carry(outside, inside, false)
  carry(inside, outside, true)
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
