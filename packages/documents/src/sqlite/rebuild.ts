import { AssayError } from '@assay/service-kit/errors'
import type { Database } from '@assay/sqlite'
import { type EncodedPut, encodedPut } from '../encoded-put.ts'
import type { DocumentPut } from '../port.ts'
import type { Tables } from './tables.ts'
import { writeRow } from './writer.ts'

/**
 * Fills tables alongside the live ones from the log, then replaces the live ones in one transaction. Readers see the
 * old documents until then. Meanwhile, live puts go to both tables, so the switch loses none.
 */
export interface RebuildTarget {
  begin(): Promise<void>
  put(puts: readonly DocumentPut[]): Promise<void>
  commit(): Promise<void>
  /** Ends the rebuild without switching. */
  abandon(): Promise<void>
}

/** The rebuilds of a store. Live writes report their puts to the current rebuild. */
export interface Rebuilds {
  /** Called for each live put, within its transaction. */
  mirror(put: EncodedPut): void
  target(collections: readonly string[]): RebuildTarget
}

/** `onSwitch`: called within the transaction that replaces the live tables. */
export function createRebuilds(database: Database, tables: Tables, { onSwitch }: { onSwitch: () => void }): Rebuilds {
  /** Shadow table of each collection that is being rebuilt. */
  let shadows = new Map<string, string>()

  function write(put: EncodedPut): void {
    const shadow = shadows.get(put.collection)
    if (shadow !== undefined) writeRow(database, tables.of(put.collection), shadow, put)
  }

  function target(collections: readonly string[]): RebuildTarget {
    let mine: Map<string, string> | undefined

    function requireBegun(): void {
      if (mine === undefined || mine !== shadows)
        throw new AssayError('internal', 'This rebuild has not begun, or has ended.')
    }

    return {
      async begin() {
        if (shadows.size > 0)
          throw new AssayError('conflict', 'Another rebuild is already running. Wait until it finishes.')
        mine = await database.write(() => tables.makeShadows(collections))
        shadows = mine
      },
      async put(puts) {
        requireBegun()
        const encoded = puts.map(encodedPut)
        await database.write(() => {
          requireBegun()
          for (const put of encoded) write(put)
        })
      },
      async commit() {
        requireBegun()
        // Creates each index in its own transaction: one can take a second, and requests are served in between.
        for (const name of collections)
          for (const index of tables.shadowIndexes(name)) await database.write(() => database.exec(index))
        requireBegun()
        const open = shadows
        try {
          await database.write(() => {
            requireBegun()
            tables.switchToShadows(collections)
            onSwitch()
            // Immediately instead of after the commit, because other puts may follow in the same transaction.
            shadows = new Map()
          })
        } catch (error) {
          shadows = open
          throw error
        }
      },
      async abandon() {
        if (mine === undefined || mine !== shadows) return
        shadows = new Map()
        await database.write(() => tables.dropShadows(collections))
      },
    }
  }

  return { mirror: write, target }
}
