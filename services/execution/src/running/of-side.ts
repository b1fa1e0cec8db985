import { AssayError, isAssayError } from '@assay/service-kit/errors'
import type { SideName } from '../execution/run.ts'

const tables = { ONE: 'The table', LEFT: 'The left table', RIGHT: 'The right table' } as const

/** Does `work` on one side of a policy. For policies on two tables, its error names the side. */
export async function namingSide<T>(side: SideName, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (side === 'ONE' || !isAssayError(error)) throw error
    const { code, details, retryAfterSeconds } = error
    const seconds = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
    throw new AssayError(code, `${tables[side]}: ${error.message}`, { cause: error, details, ...seconds })
  }
}

/**
 * Throws `unprocessable` naming the side, if two reads of a side of a policy on two tables gave different numbers of
 * rows: the source changed in between, so its figures do not belong together.
 */
export function assertSameRows(all: readonly { side: SideName; rowsScanned: number | null }[]): void {
  const seen = new Map<SideName, number>()
  for (const { side, rowsScanned } of all) {
    if (side === 'ONE' || rowsScanned === null) continue
    const before = seen.get(side) ?? rowsScanned
    if (before !== rowsScanned)
      throw new AssayError(
        'unprocessable',
        `${tables[side]}: its source changed during the run (${before} rows, then ${rowsScanned}). Start the run again when it no longer changes.`,
      )
    seen.set(side, rowsScanned)
  }
}
