import type { ServerResponse } from 'node:http'
import { z } from 'zod'
import type { FastSet } from './fast-set.ts'

/** A reader that has read nothing for this many milliseconds counts as gone. */
const stalledAfterMs = 30_000
const lookMs = 5_000

/** A socket's handle, with the number of bytes that the system has not accepted yet. */
const handle = z.object({ _handle: z.object({ writeQueueSize: z.number() }) })

/** Bytes that wait for the reader; 0 if there are none, or the connection is gone. */
function waiting(response: ServerResponse): number {
  const { socket } = response
  if (socket === null || socket.writableLength === 0) return 0
  // Without the handle, partial progress of a write is unknown, so the reader has 30 s for each write.
  return handle.safeParse(socket).data?._handle.writeQueueSize ?? socket.writableLength
}

/**
 * Closes connections whose reader has read nothing for 30 s although data waits: otherwise an unread answer would stay
 * in memory indefinitely. Returns a function that stops the checks.
 */
export function closeStalled(
  inProgress: Pick<FastSet<ServerResponse>, 'all'>,
  { stalledMs = stalledAfterMs, everyMs = lookMs }: { stalledMs?: number; everyMs?: number } = {},
): () => void {
  const last = new WeakMap<ServerResponse, { bytes: number; written: number; since: number }>()
  const timer = setInterval(() => {
    const now = performance.now()
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
      if (hasRead) last.set(response, { bytes, written, since: now })
      else if (now - known.since >= stalledMs) response.socket?.destroy()
    }
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
