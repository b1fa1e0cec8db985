import { columnKey } from '../asset/column-diff.ts'
import type { Observer } from './observer.ts'

/** Tables of databases that one crawl writes, so that a view which comes behind them can name them by their ids. */
export interface WrittenTables {
  /** `write` with its outcome kept for those that come later: they wait for it, once this was called. `write` gives the id. */
  begin(parts: string[], write: () => Promise<number>): () => Promise<number>
  /**
   * What gives the ids of those that are known, each once, the least first. Only what has begun by now is waited for, so that two
   * never wait for each other; one that comes later, or could not be written, has the id that it had before.
   */
  idsOf(paths: readonly string[][]): () => Promise<number[]>
}

export function createWrittenTables(observer: Pick<Observer, 'idOf'>): WrittenTables {
  const written = new Map<string, Promise<number | undefined>>()
  return {
    begin(parts, write) {
      const { promise, resolve } = Promise.withResolvers<number | undefined>()
      written.set(columnKey(parts), promise)
      return async () => {
        try {
          const id = await write()
          resolve(id)
          return id
        } finally {
          resolve(undefined)
        }
      }
    },
    idsOf(paths) {
      const begun = paths.map((path) => ({ path, id: written.get(columnKey(path)) }))
      return async () => {
        const ids = new Set<number>()
        for (const { path, id: promised } of begun) {
          const id = (await promised) ?? (await observer.idOf(path))
          if (id !== undefined) ids.add(id)
        }
        return [...ids].sort((a, b) => a - b)
      }
    },
  }
}
