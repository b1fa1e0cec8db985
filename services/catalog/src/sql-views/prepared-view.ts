import { createHash } from 'node:crypto'
import type { SqlViewDetails } from '@assay/contracts'
import {
  type DataEngine,
  foreignSelect,
  mayReadHidden,
  type QueryLocator,
  selectWhere,
  type Touched,
  type WrittenText,
} from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import { type Timers, withDeadline } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import type { AssetTableDocument } from '../asset/collections.ts'
import { createProtection } from '../tagging/protection.ts'
import type { Tagging } from '../tagging/tagging.ts'
import { type NamedTable, namedTables } from './named-tables.ts'

/** Time limit for opening the source, in milliseconds: clients give up after 15 s. */
const openMilliseconds = 9_000

export interface ViewDeps {
  documents: Documents
  engine: Pick<DataEngine, 'prepare' | 'touches'>
  timers: Pick<Timers, 'sleep'>
  tagging: Pick<Tagging, 'protectedOf'>
}

/** The SELECT of a view. Throws `invalid`, naming the field. Pure. */
export function selectOf(details: SqlViewDetails, backing: AssetTableDocument | undefined): string {
  const query = details.query.trim().replace(/;\s*$/, '')
  switch (details.queryType) {
    case 'SQL_QUERY':
      return query
    case 'FILTER':
      if (backing === undefined)
        throw new AssayError('invalid', 'data.asset.backingAssetUID: must be given for the queryType FILTER.')
      return selectWhere(details.tableAlias || backing.name, query)
    case 'AGGREGATION_PIPELINE':
      throw new AssayError(
        'invalid',
        'details.queryType: no source has aggregation pipelines. Use SQL_QUERY or FILTER.',
      )
    default:
      return details.queryType satisfies never
  }
}

/** A SELECT can reveal values indirectly (by failing), so creating a view requires the permission to see all values. */
async function requireUnprotected(
  deps: ViewDeps,
  tenant: string,
  touched: Touched,
  tables: readonly NamedTable[],
): Promise<void> {
  const protection = createProtection(deps)
  for (const { table } of tables) {
    const hidden = new Set(await protection.columnsOf(tenant, table.id))
    if (hidden.size === 0) continue
    const columns = [...new Set(table.columns.flatMap(({ path: [column] }) => column ?? []))]
    const isHidden = (column: string) => hidden.has(column)
    if (tables.length === 1 && !mayReadHidden(touched, { columns, isHidden })) continue
    const sentence = `The table ${table.uid} has protected values: creating a view of them requires ASSET_PROTECTED_VIEW.`
    throw new AssayError('forbidden', `data.details.query: ${sentence}`)
  }
}

/** The SELECT for the parser. `foreign`: it is SQL of a database. Throws `invalid`, naming the field. */
function parsedForm(sourceType: string, sql: string): WrittenText {
  try {
    const plain = foreignSelect(sourceType, sql)
    const text = { sql: plain ?? sql, variables: {} }
    return { text, form: 'select', ...(plain === undefined ? {} : { foreign: { tables: 'any' } }) }
  } catch (error) {
    throw ofQuery(error)
  }
}

/** Names the field in an error of the SELECT. */
function ofQuery(error: unknown): unknown {
  if (!isAssayError(error, 'invalid')) return error
  return new AssayError('invalid', `data.details.query: ${error.message}`, { cause: error })
}

/**
 * The locator of a view's rows, with its columns as the engine describes them and the ids of the tables that it reads.
 * Throws `invalid` if the engine cannot prepare the SELECT, `unprocessable` if the source cannot be read, `forbidden`
 * if the view reads protected values, `unavailable` if the check took too long.
 */
export async function preparedView(
  deps: ViewDeps,
  view: {
    tenant: string
    assemblyId: number
    /** Of the assembly: the SELECT is in its dialect. */
    sourceType: string
    details: SqlViewDetails
    backing: AssetTableDocument | undefined
    mayShowProtected: boolean
    signal: AbortSignal
  },
): Promise<{ locator: QueryLocator; sourceIds: number[] }> {
  const { tenant, assemblyId, details, backing, mayShowProtected } = view
  const sql = selectOf(details, backing)
  const late = new AssayError('unavailable', 'The tables of the view took too long to open. Try again.', {
    retryAfterSeconds: 2,
  })
  const inTime = <T>(work: (signal: AbortSignal) => Promise<T>) =>
    withDeadline(deps.timers, { milliseconds: openMilliseconds, late, signals: [view.signal] }, work)
  const form = parsedForm(view.sourceType, sql)
  const [touched] = await inTime((signal) => deps.engine.touches([form], { tenant, signal }))
  if (touched === undefined || 'problem' in touched)
    throw new AssayError('invalid', `data.details.query: ${touched?.problem ?? 'it cannot be read.'}`)
  const named = await namedTables(deps.documents, tenant, assemblyId, touched.tables)
  const alias = details.tableAlias || backing?.name
  const others = named.filter(({ name }) => backing === undefined || name !== alias)
  const all = backing === undefined || alias === undefined ? others : [...others, { name: alias, table: backing }]
  if (form.foreign !== undefined && all.length === 0) {
    const [missing] = touched.tables
    const sentence =
      missing === undefined ? 'a view in a database must read a table.' : `There is no table "${missing}" here.`
    throw new AssayError('invalid', `data.details.query: ${sentence} Name tables of the assembly in double quotes.`)
  }
  if (!mayShowProtected) await requireUnprotected(deps, tenant, touched, all)
  const tables = all.flatMap(({ name, table }) => {
    const dataset = table.facts?.locator
    return dataset === undefined || dataset.kind === 'query' ? [] : [{ name, dataset }]
  })
  const fingerprint = createHash('sha256').update(sql).digest('hex').slice(0, 32)
  const dataset: QueryLocator = { kind: 'query', sql, tables, columns: [], fingerprint }
  try {
    const { columns } = await inTime((signal) => deps.engine.prepare({ dataset, metrics: [] }, { tenant, signal }))
    const locator = { ...dataset, columns: columns.map(({ name, dataType }) => ({ name, dataType })) }
    return { locator, sourceIds: [...new Set(all.map(({ table }) => table.id))].sort((a, b) => a - b) }
  } catch (error) {
    throw ofQuery(error)
  }
}
