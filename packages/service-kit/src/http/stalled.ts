import type { ServerResponse } from 'node:http'
import { z } from 'zod'
import type { UnderWay } from './under-way.ts'

/** A reader that takes nothing for this long is not coming back. Milliseconds. */
const stalledAfterMs = 30_000
const lookMs = 5_000

/** From a socket's handle: the bytes that the system has not taken yet, including the rest of a partial write. */
const handle = z.object({ _handle: z.object({ writeQueueSize: z.number() }) })

/** Bytes to be read; 0: none, or the connection is gone. */
function waiting(response: ServerResponse): number {
  const { socket } = response
  if (socket === null || socket.writableLength === 0) return 0
  // Without the handle a write counts as a whole: its reader then has 30 s for each.
  return handle.safeParse(socket).data?._handle.writeQueueSize ?? socket.writableLength
}

/**
 * Closes connections whose reader has taken nothing for 30 s although data waits: otherwise an unread answer would stay
 * in memory for as long as its caller likes. Returns the stop function.
 */
export function closeStalled(
  underWay: Pick<UnderWay<ServerResponse>, 'all'>,
  { stalledMs = stalledAfterMs, everyMs = lookMs }: { stalledMs?: number; everyMs?: number } = {},
): () => void {
  const last = new WeakMap<ServerResponse, { bytes: number; written: number; since: number }>()
  const timer = setInterval(() => {
    const now = performance.now()
    for (const response of underWay.all()) {
      const bytes = waiting(response)
      if (bytes === 0) {
        last.delete(response)
        continue
      }
      const written = response.socket?.bytesWritten ?? 0
      const known = last.get(response)
      // A growing buffer is no sign of a reader, a shrinking one is.
      const hasRead = known === undefined || bytes - known.bytes < written - known.written
      if (hasRead) last.set(response, { bytes, written, since: now })
      else if (now - known.since >= stalledMs) response.socket?.destroy()
    }
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
