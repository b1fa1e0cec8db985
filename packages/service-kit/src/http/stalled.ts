import type { ServerResponse } from 'node:http'
import { z } from 'zod'
import type { FastSet } from './fast-set.ts'

/** A reader counts as gone if it has read nothing for this many milliseconds. */
const stalledAfterMs = 30_000
/**
 * A stream of events ends itself after a whole event if its reader is too slow. The bytes that it has written by then are
 * few, and without them the reader would get a part of an event. So they wait longer.
 */
const stalledEventsAfterMs = 300_000
const lookMs = 5_000

/** Whether the response is a stream of events. */
export const isEventStream = (response: ServerResponse): boolean =>
  String(response.getHeader('content-type')).startsWith('text/event-stream')

/** A socket's handle, with the number of bytes that the system has not accepted yet. */
const handle = z.object({ _handle: z.object({ writeQueueSize: z.number() }) })

/** Number of bytes that wait for the reader; 0 if there are none, or if the connection is closed. */
function waiting(response: ServerResponse): number {
  const { socket } = response
  if (socket === null || socket.writableLength === 0) return 0
  // Without the handle, partial progress of a write is unknown. So the reader has 30 s for each write.
  return handle.safeParse(socket).data?._handle.writeQueueSize ?? socket.writableLength
}

/**
 * Closes connections whose reader has read nothing for 30 s although data waits, or for 5 min if it is a stream of
 * events. Otherwise an unread answer would stay in memory indefinitely. The time is measured in checks and not by a
 * clock: while the process or the machine pauses, no check runs, so a reader is not blamed for the pause. Returns a
 * function that stops the checks.
 */
export function closeStalled(
  inProgress: Pick<FastSet<ServerResponse>, 'all'>,
  {
    stalledMs = stalledAfterMs,
    stalledEventsMs = stalledEventsAfterMs,
    everyMs = lookMs,
  }: { stalledMs?: number; stalledEventsMs?: number; everyMs?: number } = {},
): () => void {
  const last = new WeakMap<ServerResponse, { bytes: number; written: number; checks: number }>()
  const limitOf = (response: ServerResponse) =>
    Math.ceil((isEventStream(response) ? stalledEventsMs : stalledMs) / everyMs)
  const timer = setInterval(() => {
    for (const response of inProgress.all()) {
      const bytes = waiting(response)
      if (bytes === 0) {
        last.delete(response)
        continue
      }
      const written = response.socket?.bytesWritten ?? 0
      const known = last.get(response)
      // The reader has read something if the buffer grew by less than was written.
      const hasRead = known === undefined || bytes - known.bytes < written - known.written
      if (hasRead) last.set(response, { bytes, written, checks: 0 })
      else if (known.checks + 1 >= limitOf(response)) response.socket?.destroy()
      else known.checks += 1
    }
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
