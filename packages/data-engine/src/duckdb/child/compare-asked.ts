import { AssayError } from '@assay/service-kit/errors'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { ComparedPair } from '../../compare.ts'
import type {
  BucketNumbers,
  HashedColumn,
  SideName,
  SideRequest,
  SourceColumn,
  SourceSide,
} from '../../compared-source.ts'
import { raw } from '../../sql/fragment.ts'
import { columnFinder } from '../../sql/predicate/column.ts'
import { isNumeric } from '../../types/logical-type.ts'
import { duckdbDialect } from '../dialect.ts'
import type { AnswerFile } from '../protocol.ts'
import { answeredBuckets, answeredCount, answeredNulls, answeredRows, misfits } from '../sql/compare-answers.ts'
import { bucketRows } from '../sql/compare-buckets.ts'
import { knownSideTable } from '../sql/compare-rows.ts'
import { coarseBits } from '../sql/compare-shared-buckets.ts'
import { type CompareSide, type Comparing, numbers, ofSide, run } from './compare-side.ts'
import { read, readRow } from './database.ts'
import type { RunContext } from './session.ts'

const noWarnings = { total: 0, first: [] }

/** The columns of an answer, stored so that all values fit. Numbers that no type holds stay text. */
export async function fittingColumns(
  connection: DuckDBConnection,
  file: AnswerFile,
  columns: readonly SourceColumn[],
): Promise<SourceColumn[]> {
  const counts = numbers(await readRow(connection, misfits(file, columns)))
  return columns.map((column, index) => {
    if ((counts[index] ?? 0) === 0) return column
    if (isNumeric(column.type)) return { ...column, stored: 'VARCHAR' }
    throw new AssayError('unprocessable', `the column "${column.name}" has values that cannot be compared.`)
  })
}

/** A side that another engine reads. That engine hashes rows at the source, and sends the rows of differing buckets. */
export function askedSide(
  { ask }: Pick<RunContext, 'ask'>,
  side: SideName,
  plan: readonly ComparedPair[],
  { columns, reached }: Pick<SourceSide, 'columns' | 'reached'>,
): CompareSide {
  /** The columns as they are stored, and their logical types. */
  const stored = new Map(columns.map((column) => [column.name, column]))
  const find = columnFinder(
    columns.map(({ name, stored: dataType }) => ({ name, dataType })),
    duckdbDialect,
  )
  let fetched: { file: AnswerFile; columns: SourceColumn[] } | null = null

  /** The columns of the plan on this side, without duplicates. */
  const compared = () =>
    [...new Set(plan.map((pair) => find(pair[side]).name))].flatMap((name) => stored.get(name) ?? [])

  function hashed({ pairs }: Comparing): HashedColumn[] {
    return pairs.flatMap(({ as, [side]: { column } }, index) => {
      const { isKey = false, trim, ignoreCase, timeUnit, leftOffsetSeconds } = plan[index] ?? {}
      const moved = side === 'left' && leftOffsetSeconds !== undefined ? { offsetSeconds: leftOffsetSeconds } : {}
      const rules = {
        ...(trim === undefined ? {} : { trim }),
        ...(ignoreCase === undefined ? {} : { ignoreCase }),
        ...(timeUnit === undefined ? {} : { timeUnit }),
      }
      return [{ name: column.name, as, isKey, ...rules, ...moved }]
    })
  }

  async function asked(comparing: Comparing, kind: SideRequest['kind'], bits: number, within: BucketNumbers | null) {
    if (ask === undefined) throw new AssayError('internal', 'No other engine reads this side.')
    return ask(side, { side, kind, columns: hashed(comparing), bits, within }).catch((error: unknown) => {
      throw ofSide(side, error)
    })
  }

  async function differing({ connection, sharedBits }: Comparing): Promise<BucketNumbers> {
    const found = await read(connection, raw('SELECT b FROM assay_differing ORDER BY b'))
    return { bits: sharedBits ?? coarseBits, numbers: found.getRows().map(([b]) => Number(b)) }
  }

  return {
    ...{ side, columns },
    column(name) {
      const found = find(name)
      const { type, stored: dataType } = stored.get(found.name) ?? { type: found.type, stored: found.dataType }
      return { ...found, type, dataType }
    },
    async sum(comparing) {
      const { connection } = comparing
      const file = await asked(comparing, 'buckets', coarseBits, null)
      await run(connection, answeredBuckets(`assay_buckets_${side}`, file))
      const [rows = 0] = numbers(await readRow(connection, bucketRows(side)))
      const [nullKeys = 0] = numbers(await readRow(connection, answeredNulls(side)))
      return { rows, nullKeys, least: null, most: null }
    },
    async refine(comparing, bits) {
      const file = await asked(comparing, 'buckets', bits, await differing(comparing))
      await run(comparing.connection, answeredBuckets(`assay_fine_${side}`, file))
    },
    async fetch(comparing) {
      const file = await asked(comparing, 'rows', coarseBits, await differing(comparing))
      const fitting = await fittingColumns(comparing.connection, file, compared()).catch((error: unknown) => {
        throw ofSide(side, error)
      })
      for (const column of fitting) stored.set(column.name, column)
      fetched = { file, columns: compared() }
    },
    async take({ connection, pairs }) {
      if (fetched === null) return
      const rows = { relation: answeredRows(fetched.file, fetched.columns), filter: null }
      await run(connection, knownSideTable(side, pairs, rows, null))
    },
    async repeated(comparing) {
      const file = await asked(comparing, 'repeated', coarseBits, await differing(comparing))
      const [repeated = 0] = numbers(await readRow(comparing.connection, answeredCount(file)))
      return repeated
    },
    about: { warnings: noWarnings, reached, touched: null },
    assertUnchanged: async () => undefined,
  }
}
