import { AssayError } from '@assay/service-kit/errors'

/** Time limit of a view. Reading a view may never finish, and a crawl only needs its description. */
export const viewMs = 20_000
const tableMs = 600_000

/**
 * The position of a crawl in its source, which it always reads in the same order. A crawl that continues after the
 * death of a child skips everything up to and including the table that killed the child.
 */
export interface CrawlPosition {
  /**
   * Called before a table or file is opened; returns whether to open it. `withinMs`: time limit of the table or file.
   */
  shouldOpen(path: string, withinMs?: number): Promise<boolean>
  /** Whether the table that killed the previous child has not been reached yet. */
  isSkipping(): boolean
  /**
   * Called at the end of the source. Throws `unprocessable` if the table that killed the previous child was not found,
   * because then the position after this table is unknown.
   */
  assertReached(): void
  /** Whether this table or file killed the previous child. */
  endedAt(path: string): boolean
}

/** `announce` resolves once the parent is certain to receive the message. */
export function createCrawlPosition(
  after: string | undefined,
  announce: (path: string, withinMs: number) => Promise<void>,
): CrawlPosition {
  let isSkipping = after !== undefined
  return {
    async shouldOpen(path, withinMs = tableMs) {
      if (isSkipping) {
        if (path === after) isSkipping = false
        return false
      }
      await announce(path, withinMs)
      return true
    },
    isSkipping: () => isSkipping,
    assertReached() {
      if (!isSkipping) return
      const sentence = `${after} crashed the process that read it, and was then moved or removed. Crawl the source again.`
      throw new AssayError('unprocessable', sentence)
    },
    endedAt: (path) => path === after,
  }
}

/** For work that is not a crawl. */
export const noCrawl: CrawlPosition = createCrawlPosition(undefined, async () => undefined)
