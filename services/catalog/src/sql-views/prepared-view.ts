import { createHash } from 'node:crypto'
import type { SqlViewDetails } from '@assay/contracts'
import type { DataEngine, QueryLocator } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import { type Timers, withDeadline } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import type { AssetTableDocument } from '../asset/collections.ts'
import { createProtection } from '../tagging/protection.ts'
import type { Tagging } from '../tagging/tagging.ts'
import { type NamedTable, namedTables } from './named-tables.ts'

/** Clients give up after 15 s. */
const openMilliseconds = 9_000

export interface ViewDeps {
  documents: Documents
  engine: Pick<DataEngine, 'prepare'>
  timers: Pick<Timers, 'sleep'>
  tagging: Pick<Tagging, 'protectedOf'>
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The SELECT that a view stands for. Throws `invalid`, naming the field. Pure. */
export function selectOf(details: SqlViewDetails, backing: AssetTableDocument | undefined): string {
  const query = details.query.trim().replace(/;\s*$/, '')
  switch (details.queryType) {
    case 'SQL_QUERY':
      return query
    case 'FILTER': {
      if (backing === undefined)
        throw new AssayError('invalid', 'data.asset.backingAssetUID: must be given for the queryType FILTER.')
      const name = quoted(details.tableAlias || backing.name)
      return `SELECT * FROM ${name} WHERE (\n${query}\n)`
    }
    case 'AGGREGATION_PIPELINE':
      throw new AssayError(
        'invalid',
        'details.queryType: no source has aggregation pipelines. Use SQL_QUERY or FILTER.',
      )
    default:
      return details.queryType satisfies never
  }
}

/** What a SELECT makes of values tells of them in other ways too (by failing), so who may not see them cannot make a view of them. */
async function requireOpen(deps: ViewDeps, tenant: string, tables: readonly NamedTable[]): Promise<void> {
  const protection = createProtection(deps)
  for (const { table } of tables) {
    if (await protection.isOpen(tenant, table.id)) continue
    const sentence = `The table ${table.uid} has protected values: making a view of it takes ASSET_PROTECTED_VIEW.`
    throw new AssayError('unprocessable', sentence)
  }
}

/**
 * Where the rows of a view come from, with its columns as the engine describes them and the ids of the tables that it reads. Throws `invalid` where the engine cannot
 * prepare the SELECT, `unprocessable` where the source cannot be read in time or holds protected values.
 */
export async function preparedView(
  deps: ViewDeps,
  view: {
    tenant: string
    assemblyId: number
    details: SqlViewDetails
    backing: AssetTableDocument | undefined
    mayShowProtected: boolean
    signal: AbortSignal
  },
): Promise<{ locator: QueryLocator; sourceIds: number[] }> {
  const { tenant, assemblyId, details, backing, mayShowProtected } = view
  const sql = selectOf(details, backing)
  const named = await namedTables(deps.documents, tenant, assemblyId, sql)
  const alias = details.tableAlias || backing?.name
  const others = named.filter(({ name }) => backing === undefined || name !== alias)
  const all = backing === undefined || alias === undefined ? others : [...others, { name: alias, table: backing }]
  if (!mayShowProtected) await requireOpen(deps, tenant, all)
  const tables = all.flatMap(({ name, table }) => {
    const dataset = table.facts?.locator
    return dataset === undefined || dataset.kind === 'query' ? [] : [{ name, dataset }]
  })
  const fingerprint = createHash('sha256').update(sql).digest('hex').slice(0, 32)
  const dataset: QueryLocator = { kind: 'query', sql, tables, columns: [], fingerprint }
  const late = new AssayError('unprocessable', 'The tables of the view took too long to open. Try again.')
  try {
    const { columns } = await withDeadline(
      deps.timers,
      { milliseconds: openMilliseconds, late, signals: [view.signal] },
      (signal) => deps.engine.prepare({ dataset, metrics: [] }, { signal }),
    )
    const locator = { ...dataset, columns: columns.map(({ name, dataType }) => ({ name, dataType })) }
    return { locator, sourceIds: [...new Set(all.map(({ table }) => table.id))].sort((a, b) => a - b) }
  } catch (error) {
    if (isAssayError(error, 'invalid'))
      throw new AssayError('invalid', `data.details.query: ${error.message}`, { cause: error })
    if (isAssayError(error) && error.message.startsWith('Permission Error'))
      throw new AssayError('invalid', 'data.details.query: reads something that is no table of the assembly.', {
        cause: error,
      })
    throw error
  }
}
