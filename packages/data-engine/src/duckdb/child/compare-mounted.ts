import { AssayError } from '@assay/service-kit/errors'
import type { ComparedTable } from '../../compare.ts'
import type { SideName } from '../../compared-source.ts'
import { columnFinder } from '../../sql/predicate/column.ts'
import { parseType } from '../../types/parse-type.ts'
import { duckdbDialect } from '../dialect.ts'
import { bitmapFits } from '../sql/bitmap.ts'
import { bucketRows, bucketTable, distinctKeys, keyFacts, repeatedInSame } from '../sql/compare-buckets.ts'
import { wholeKeyOf } from '../sql/compare-pairs.ts'
import { knownSideTable } from '../sql/compare-rows.ts'
import { isDiffering, repeatedInShared, sharedBuckets } from '../sql/compare-shared-buckets.ts'
import { type CompareSide, numbers, ofSide, run } from './compare-side.ts'
import { readRow } from './database.ts'
import { boundsOf } from './groups.ts'
import { compileChecked, type RunContext, type Session } from './session.ts'

/** A side that DuckDB itself reads. */
export async function mountedSide(
  context: RunContext,
  side: SideName,
  { filter, taken = [] }: ComparedTable,
  session: Session,
): Promise<CompareSide> {
  const { rows, filterError, touched } = await compileChecked(session, context, filter, [])
  if (filterError !== null) throw new AssayError('invalid', `The filter cannot be used: ${filterError}`)
  const { mounted, window, connection, hidden } = session
  const find = columnFinder(mounted.columns, duckdbDialect)
  /** Some values of stored rows are text there, but not at the source. */
  const atSource = new Map(taken.map(({ name, dataType }) => [name, parseType(dataType)]))
  return {
    side,
    column(name) {
      const column = find(name)
      return { ...column, type: atSource.get(column.name) ?? column.type }
    },
    narrow: { side, rows, mounted },
    async sum({ pairs, hasKey, sharedBits }) {
      try {
        const table = `assay_buckets_${side}`
        await run(
          connection,
          sharedBits === null
            ? bucketTable(side, pairs, rows)
            : sharedBuckets({ table, side }, pairs, rows, sharedBits),
        )
      } catch (error) {
        throw ofSide(side, error, hidden)
      }
      const [count] = await readRow(connection, bucketRows(side))
      const [nulls, least = null, most = null] = hasKey ? await readRow(connection, keyFacts(side, pairs, rows)) : []
      return { rows: Number(count ?? 0), nullKeys: Number(nulls ?? 0), least, most }
    },
    async refine({ pairs, sharedBits }, bits) {
      const within = sharedBits === null ? null : isDiffering(pairs, side, sharedBits)
      await run(connection, sharedBuckets({ table: `assay_fine_${side}`, side }, pairs, rows, bits, within))
    },
    fetch: async () => undefined,
    take: ({ pairs, sharedBits }) =>
      run(
        connection,
        knownSideTable(side, pairs, rows, sharedBits === null ? null : isDiffering(pairs, side, sharedBits)),
      ),
    async repeated({ pairs, sharedBits }, { rows: count, nullKeys, least, most }) {
      const { memoryMb, threads } = context.limits
      const key = wholeKeyOf(pairs)
      const bounds = key && boundsOf(least, most)
      if (key && bounds && nullKeys <= 1 && bitmapFits(bounds, count, memoryMb, threads)) {
        const [values, distinct] = numbers(await readRow(connection, distinctKeys(side, key, rows, bounds)))
        if (values === distinct) return 0
      }
      const counted =
        sharedBits === null ? repeatedInSame(pairs, rows) : repeatedInShared(side, pairs, rows, sharedBits)
      const [repeated = 0] = numbers(await readRow(connection, counted))
      return repeated
    },
    about: { warnings: mounted.warnings, reached: window.reached, touched: touched[0]?.touched ?? null },
    assertUnchanged: () =>
      session.assertUnchanged().catch((error: unknown) => {
        throw ofSide(side, error)
      }),
  }
}
