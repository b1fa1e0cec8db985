import { columnKey } from '../asset/column-diff.ts'
import type { Observer } from './observer.ts'

/** Database tables that one crawl writes, so that a later view can reference them by id. */
export interface WrittenTables {
  /** Registers a write, which `idsOf` waits for from now on. Returns the function that carries it out. */
  begin(parts: string[], write: () => Promise<number>): () => Promise<number>
  /**
   * Returns a function for the ids of the known tables, each once, in ascending order. It waits only for writes that are
   * registered by now, so that two writes never wait for each other. Other tables have the id of an earlier crawl.
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
