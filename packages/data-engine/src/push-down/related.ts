import { isAssayError, messageOf } from '@assay/service-kit/errors'
import type { DatasetLocator } from '../dataset.ts'
import { isOfSameSource, relationsIn } from '../locators.ts'
import { type ListedValues, lookupOf, type Metric } from '../plan.ts'
import type { RelatedTables } from '../sql/compile.ts'
import { columnFinder } from '../sql/predicate/column.ts'
import { type LookupTable, listedLookup } from '../sql/predicate/in-lookup.ts'
import type { Compiling } from './compiling.ts'
import type { Session } from './connection.ts'
import { openDataset } from './dataset.ts'

type Found<T> = T | { problem: string }

/** A table that a SELECT reads, by the name that it uses. */
export interface NamedSession {
  name: string
  session: Session
}

/** Further tables of the run's source that metrics read. `named`: those of SELECTs, by the metric's id. */
export interface RelatedSessions extends RelatedTables {
  named: ReadonlyMap<number, readonly NamedSession[]>
}

/** Opens each table once, in the session of the run. */
function tablesOf(given: Compiling, { connection, locator: own }: Session) {
  const opened = new Map<string, Found<Session>>()
  const open = async (dataset: DatasetLocator): Promise<Found<Session>> => {
    try {
      return await openDataset(given, connection, dataset)
    } catch (error) {
      // Only the metrics that need the table fail, unless the whole run cannot continue.
      if (!isAssayError(error, 'unprocessable') && !isAssayError(error, 'invalid')) throw error
      return { problem: messageOf(error) }
    }
  }
  return async (dataset: DatasetLocator): Promise<Found<Session>> => {
    const [first, ...others] = relationsIn(dataset)
    if (first === undefined || ![first, ...others].every((table) => isOfSameSource(own, table)))
      return { problem: `It is not in the same ${given.database.name} source as the table of the policy.` }
    const key = JSON.stringify(dataset)
    const found = opened.get(key) ?? (await open(dataset))
    opened.set(key, found)
    return found
  }
}

function lookupIn(found: Found<Session>, name: string): Found<LookupTable> {
  if ('problem' in found) return found
  try {
    return { relation: `${found.relation} AS looked_up`, value: columnFinder(found.columns, found.dialect)(name) }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}

function listedIn({ dialect }: Session, elsewhere: ListedValues | { problem: string }): Found<LookupTable> {
  return 'problem' in elsewhere ? elsewhere : listedLookup(dialect, elsewhere)
}

/** Opens the tables that metrics read in addition to that of the plan, if they are in the same source. */
export async function openRelated(
  given: Compiling,
  session: Session,
  metrics: readonly Metric[],
): Promise<RelatedSessions> {
  const tableOf = tablesOf(given, session)
  const lookups = new Map<number, Found<LookupTable>>()
  const problems = new Map<number, string>()
  const named = new Map<number, NamedSession[]>()
  for (const metric of metrics) {
    const lookup = lookupOf(metric)
    if (lookup !== undefined) {
      const { dataset, column, elsewhere } = lookup
      const found = () => tableOf(dataset).then((table) => lookupIn(table, column))
      lookups.set(metric.id, elsewhere === undefined ? await found() : listedIn(session, elsewhere))
    }
    if (metric.kind !== 'select') continue
    const tables: NamedSession[] = []
    for (const { name, dataset } of metric.tables ?? []) {
      const found = await tableOf(dataset)
      if ('problem' in found) problems.set(metric.id, `${name}: ${found.problem}`)
      else tables.push({ name, session: found })
    }
    named.set(metric.id, tables)
  }
  return { lookups, problems, named }
}
