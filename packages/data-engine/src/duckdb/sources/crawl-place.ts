import { AssayError } from '@assay/service-kit/errors'

/** A view may never come to an end, and is only there to be looked at. */
export const viewMs = 20_000
const tableMs = 600_000

/**
 * Where a crawl is in its source, which it always goes through in the same order. One that continues after a child that
 * ended in the middle passes over everything up to and with the table at which it ended.
 */
export interface CrawlPlace {
  /** Called before a table or file is opened: whether it is to be. `withinMs`: how long that may take. */
  isNext(path: string, withinMs?: number): Promise<boolean>
  /** Whether the place at which it continues has not come yet. */
  isBehind(): boolean
  /**
   * At the end of the source. Error: `unprocessable` where the place at which it continues never came: nobody knows then
   * what comes after it.
   */
  assertReached(): void
  /** Whether the crawl before ended there. */
  endedAt(path: string): boolean
}

/** `say`: resolves once the parent will know, whatever happens next. */
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

/** Of work that is no crawl. */
export const noCrawl: CrawlPlace = createCrawlPlace(undefined, async () => undefined)
