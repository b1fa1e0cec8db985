import { createHash } from 'node:crypto'
import type { Clock } from '../ambient.ts'

/** What was there when a caller read the first page of a listing, for its later pages. In memory, of this process. */
export interface PageMarks {
  /** `undefined` where no first page was read, or too long ago. */
  of(listing: string): string | undefined
  remember(listing: string, mark: string): void
}

/** Long enough for a person who turns pages. */
const keptMs = 600_000
const maxMarks = 10_000

/** Marks of the last ten minutes, at most 10,000: the ones that were not used for longest are forgotten first. */
export function createPageMarks(
  clock: Clock,
  { milliseconds = keptMs, most = maxMarks }: { milliseconds?: number; most?: number } = {},
): PageMarks {
  /** In the order of their last use. */
  const marks = new Map<string, { mark: string; until: number }>()
  // Queries can be long, and nobody asks for the names back.
  const keyOf = (listing: string): string => createHash('sha256').update(listing).digest('base64')

  return {
    of(listing) {
      const key = keyOf(listing)
      const known = marks.get(key)
      if (known === undefined) return undefined
      marks.delete(key)
      if (known.until <= clock.now()) return undefined
      marks.set(key, known)
      return known.mark
    },
    remember(listing, mark) {
      const key = keyOf(listing)
      marks.delete(key)
      marks.set(key, { mark, until: clock.now() + milliseconds })
      for (const oldest of marks.keys()) {
        if (marks.size <= most) break
        marks.delete(oldest)
      }
    },
  }
}
