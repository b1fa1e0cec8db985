import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { AssayError, messageOf } from '@assay/service-kit/errors'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { DatasetLocator } from '../../dataset.ts'
import { type ListedValues, type Lookup, lookupOf, type Metric } from '../../plan.ts'
import { columnFinder } from '../../sql/predicate/column.ts'
import { type LookupTable, listedLookup, lookupColumn } from '../../sql/predicate/in-lookup.ts'
import { quoteName } from '../../sql/quote.ts'
import { duckdbDialect } from '../dialect.ts'
import type { MountContext, Mounted } from '../mount.ts'
import { mountDataset } from '../sources/index.ts'
import { engineFailure, engineMessage } from './failure.ts'

/** Maximum number of different values in a lookup. */
const lookupLimit = 1_000_000

/** A further dataset of a metric, or why it is unavailable. */
export type Found<T> = T | { problem: string }

/** Further datasets of a plan, mounted before the lock-down and read after it. */
export interface RelatedDatasets {
  allowedDirectories: string[]
  allowedPaths: string[]
  /** Rejects with `unprocessable` if one of them has changed since it was mounted. */
  assertUnchanged(): Promise<void>
  /** Creates lookup tables and views. `problems` has the reason for each metric whose tables could not be created. */
  open(connection: DuckDBConnection): Promise<Opened>
}

export interface Opened {
  lookups: ReadonlyMap<number, Found<LookupTable>>
  /** Why a table of a metric cannot be read, by the metric's id. */
  problems: ReadonlyMap<number, string>
  /** Names of the columns of all of them. */
  columns: readonly string[]
}

const keyOf = (dataset: DatasetLocator) => JSON.stringify(dataset)

/** Mounts each dataset once. If one cannot be mounted, only the metrics that need it fail. */
export async function mountRelated(context: MountContext, metrics: readonly Metric[]): Promise<RelatedDatasets> {
  const mounted = new Map<string, Found<Mounted>>()
  const mount = async (dataset: DatasetLocator) => {
    if (mounted.has(keyOf(dataset))) return
    const tempFolder = path.join(context.tempFolder, `related-${mounted.size}`)
    await mkdir(tempFolder, { recursive: true })
    try {
      mounted.set(keyOf(dataset), await mountDataset({ ...context, tempFolder }, dataset))
    } catch (error) {
      context.signal.throwIfAborted()
      if (engineFailure(error).code === 'too-large') throw error
      mounted.set(keyOf(dataset), { problem: engineMessage(error) })
    }
  }
  for (const metric of metrics) {
    const lookup = lookupOf(metric)
    if (lookup !== undefined && lookup.elsewhere === undefined) await mount(lookup.dataset)
    if (metric.kind === 'select') for (const { dataset } of metric.tables ?? []) await mount(dataset)
  }
  const all = [...mounted.values()].flatMap((one) => ('problem' in one ? [] : [one]))
  return {
    allowedDirectories: all.flatMap((one) => one.allowedDirectories),
    allowedPaths: all.flatMap((one) => one.allowedPaths ?? []),
    assertUnchanged: async () => {
      for (const one of all) await one.assertUnchanged?.(false)
    },
    open: async (connection) => {
      const problems = await makeViews(connection, metrics, mounted)
      const columns = all.flatMap((one) => one.columns.map(({ name }) => name))
      return { lookups: await makeLookups(connection, metrics, mounted), problems, columns }
    },
  }
}

type MountedDatasets = ReadonlyMap<string, Found<Mounted>>

async function makeViews(
  connection: DuckDBConnection,
  metrics: readonly Metric[],
  mounted: MountedDatasets,
): Promise<Map<number, string>> {
  const made = new Set<string>()
  const problems = new Map<number, string>()
  for (const metric of metrics) {
    if (metric.kind !== 'select') continue
    for (const { name, dataset } of metric.tables ?? []) {
      const found = mounted.get(keyOf(dataset))
      if (found === undefined || 'problem' in found) {
        problems.set(metric.id, `${name}: ${found?.problem ?? 'cannot be read.'}`)
      } else if (!made.has(name)) {
        made.add(name)
        await connection.run(`CREATE TEMP VIEW ${quoteName(name)} AS SELECT * FROM ${found.relation}`)
      }
    }
  }
  return problems
}

async function makeLookups(
  connection: DuckDBConnection,
  metrics: readonly Metric[],
  mounted: MountedDatasets,
): Promise<Map<number, Found<LookupTable>>> {
  const made = new Map<string, Found<LookupTable>>()
  const lookups = new Map<number, Found<LookupTable>>()
  for (const metric of metrics) {
    const lookup = lookupOf(metric)
    if (lookup === undefined) continue
    const key = JSON.stringify([keyOf(lookup.dataset), lookup.column])
    const known = made.get(key) ?? (await makeLookup(connection, lookup, mounted, `assay_lookup_${made.size}`))
    made.set(key, known)
    lookups.set(metric.id, known)
  }
  return lookups
}

async function makeLookup(
  connection: DuckDBConnection,
  lookup: Lookup,
  mounted: MountedDatasets,
  relation: string,
): Promise<Found<LookupTable>> {
  const { elsewhere } = lookup
  if (elsewhere !== undefined) return 'problem' in elsewhere ? elsewhere : listedIn(connection, elsewhere, relation)
  const dataset = mounted.get(keyOf(lookup.dataset))
  if (dataset === undefined || 'problem' in dataset)
    return { problem: dataset?.problem ?? 'The lookup cannot be read.' }
  try {
    const column = columnFinder(dataset.columns, duckdbDialect)(lookup.column)
    await connection.run(
      `CREATE TEMP TABLE ${relation} AS SELECT DISTINCT ${column.sql} AS ${lookupColumn} FROM ${dataset.relation} WHERE ${column.sql} IS NOT NULL LIMIT ${lookupLimit + 1}`,
    )
    const reader = await connection.runAndReadAll(`SELECT count(*) FROM ${relation}`)
    if (Number(reader.getRows()[0]?.[0] ?? 0) > lookupLimit)
      throw new AssayError(
        'invalid',
        `The lookup has more than ${lookupLimit} different values; compare in SQL instead.`,
      )
    const { name, dataType, type, dialect } = column
    const text = dialect.text(lookupColumn, type)
    const value = { name, dataType, type, dialect, sql: lookupColumn, presence: lookupColumn, text }
    return { relation, value }
  } catch (error) {
    if (engineFailure(error).code === 'too-large' || messageOf(error).startsWith('INTERRUPT')) throw error
    return { problem: engineMessage(error) }
  }
}

/** A lookup with values of another source. They become a table, so that they are parsed once. */
async function listedIn(connection: DuckDBConnection, values: ListedValues, relation: string): Promise<LookupTable> {
  const { relation: texts, value } = listedLookup(duckdbDialect, values)
  await connection.run(`CREATE TEMP TABLE ${relation} AS SELECT ${lookupColumn} FROM ${texts}`)
  return { relation, value }
}
