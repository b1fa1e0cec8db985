import { AssayError } from '@assay/service-kit/errors'

/** Time limit of a view: it may never finish, and is only read to describe it. */
export const viewMs = 20_000
const tableMs = 600_000

/**
 * The position of a crawl in its source, which it always reads in the same order. A crawl that continues after a child
 * died skips everything up to the table at which that child died, and that table too.
 */
export interface CrawlPlace {
  /** Called before a table or file is opened; answers whether to open it. `withinMs`: its time limit. */
  isNext(path: string, withinMs?: number): Promise<boolean>
  /** Whether the table at which the previous child died has not been reached yet. */
  isBehind(): boolean
  /**
   * Called at the end of the source. Throws `unprocessable` if the table at which the previous child died was never
   * reached, because then it is unknown what comes after it.
   */
  assertReached(): void
  /** Whether the previous child died at this path. */
  endedAt(path: string): boolean
}

/** `say` resolves once the parent will certainly receive the message. */
export function createCrawlPlace(
  after: string | undefined,
  say: (path: string, withinMs: number) => Promise<void>,
): CrawlPlace {
  let isBehind = after !== undefined
  return {
    async isNext(path, withinMs = tableMs) {
      if (isBehind) {
        if (path === after) isBehind = false
        return false
      }
      await say(path, withinMs)
      return true
    },
    isBehind: () => isBehind,
    assertReached() {
      if (!isBehind) return
      const sentence = `${after} ended the process that read it, and was moved or removed while the crawl went on. Crawl the source again.`
      throw new AssayError('unprocessable', sentence)
    },
    endedAt: (path) => path === after,
  }
}

/** For work that is not a crawl. */
export const noCrawl: CrawlPlace = createCrawlPlace(undefined, async () => undefined)
