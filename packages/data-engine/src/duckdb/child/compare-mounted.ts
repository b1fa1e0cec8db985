import { AssayError } from '@assay/service-kit/errors'
import type { ComparedTable } from '../../compare.ts'
import type { SideName } from '../../compared-source.ts'
import type { Rows } from '../../sql/compile.ts'
import { columnFinder } from '../../sql/predicate/column.ts'
import { parseType } from '../../types/parse-type.ts'
import { duckdbDialect } from '../dialect.ts'
import { bitmapFits } from '../sql/bitmap.ts'
import { bucketRows, bucketTable, distinctKeys, keyFacts, repeatedInSame } from '../sql/compare-buckets.ts'
import { wholeKeyOf } from '../sql/compare-pairs.ts'
import { knownSideTable } from '../sql/compare-rows.ts'
import { isDiffering, repeatedInShared, sharedBuckets } from '../sql/compare-shared-buckets.ts'
import { type CompareSide, type Comparing, numbers, ofSide, run, type Totals } from './compare-side.ts'
import { readRow } from './database.ts'
import { boundsOf } from './groups.ts'
import { compileChecked, type RunContext, type Session } from './session.ts'

/** Whether a bitmap shows that no key occurs twice in these rows. If not, the keys must be grouped. */
export async function hasOnlyUniqueKeys(
  { connection, context, pairs }: Comparing,
  side: SideName,
  rows: Rows,
  { rows: count, nullKeys, least, most }: Totals,
): Promise<boolean> {
  const { memoryMb, threads } = context.limits
  const key = wholeKeyOf(pairs)
  const bounds = key && boundsOf(least, most)
  if (!key || !bounds || nullKeys > 1 || !bitmapFits(bounds, count, memoryMb, threads)) return false
  const [values, distinct] = numbers(await readRow(connection, distinctKeys(side, key, rows, bounds)))
  return values === distinct
}

/** A side that DuckDB itself reads. */
export async function mountedSide(
  context: RunContext,
  side: SideName,
  { filter, taken = [] }: ComparedTable,
  session: Session,
): Promise<CompareSide> {
  const { rows: all, filterError, touched } = await compileChecked(session, context, filter, [])
  if (filterError !== null) throw new AssayError('invalid', `The filter cannot be used: ${filterError}`)
  const { mounted, window, connection, hidden } = session
  const find = columnFinder(mounted.columns, duckdbDialect)
  /** Some values of stored rows are text there, but not at the source. */
  const atSource = new Map(taken.map(({ name, dataType }) => [name, parseType(dataType)]))
  /** Row numbers of files do not fit to a part of their rows. */
  const { parquetFiles: _, ...unnumbered } = mounted
  /** The side with these rows. */
  const over = (rows: Rows): CompareSide => ({
    ...{ side, columns: mounted.columns },
    column(name) {
      const column = find(name)
      return { ...column, type: atSource.get(column.name) ?? column.type }
    },
    narrow: {
      side,
      rows,
      mounted: rows === all ? mounted : unnumbered,
      only: (relation) => over({ relation, filter: null }),
    },
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
    async repeated(comparing, totals) {
      const { pairs, sharedBits } = comparing
      if (await hasOnlyUniqueKeys(comparing, side, rows, totals)) return 0
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
  })
  return over(all)
}
