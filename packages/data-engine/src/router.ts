import { AssayError } from '@assay/service-kit/errors'
import type { ComparedTable, ComparePlan } from './compare.ts'
import { type Comparer, type OpenTable, openInOrder, type SidesOfSource } from './compare-across.ts'
import {
  type DatabaseSource,
  type DatasetLocator,
  isDatabaseSource,
  type Source,
  type TableLocator,
} from './dataset.ts'
import { listedAtSource } from './listed-values.ts'
import { readLocator, relationsIn } from './locators.ts'
import { type ReadValues, withListedLookups } from './lookups-elsewhere.ts'
import type { ListedValues, Metric } from './plan.ts'
import type { DatabaseEngine, DataEngine, KeptRowFiles, MeasureCall } from './port.ts'

/** An engine that reads tables at the source. Operations that it lacks reject with `unprocessable`. */
type TableEngine = Omit<DatabaseEngine, 'discover' | 'probe'>

export interface RoutedEngines {
  /** Reads all datasets without an engine of their own, discovers sources, parses users' SQL and reads stored rows. */
  files: DataEngine & KeptRowFiles & Comparer
  /** Engines that read databases at the source, by the type of the source. */
  databases?: { readonly [Type in DatabaseSource['sourceType']]?: DatabaseEngine }
}

const cannot = (what: string) =>
  new AssayError('unprocessable', `${what} is not possible yet for tables that are read in their database.`)

/** Opens a table at its source, for the engine that does `what`. Throws `unprocessable` if the source cannot. */
function openTable<T>({ withTable }: TableEngine, table: ComparedTable, what: string): OpenTable<T> {
  if (withTable === undefined) throw cannot(what)
  return (call, work) => withTable(table, call, work)
}

/** A name for the source of a table, which is the same for all its tables. */
function sourceOf(dataset: DatasetLocator): string {
  const [table] = relationsIn(dataset)
  return JSON.stringify(table === undefined ? [readLocator(dataset).kind] : [table.engine, table.source ?? null])
}

/** The sides of a comparison that engines of databases read, by source. */
function sidesAtSources(
  plan: ComparePlan,
  engineOf: (dataset: DatasetLocator) => TableEngine | undefined,
): SidesOfSource[] {
  const groups: SidesOfSource[] = []
  for (const side of ['left', 'right'] as const) {
    const table = plan[side]
    const engine = engineOf(table.dataset)
    if (engine === undefined) continue
    const { withSides, withTable } = engine
    if (withSides === undefined || withTable === undefined) throw cannot('A comparison')
    const order = sourceOf(table.dataset)
    const same = groups.find((one) => one.order === order)
    if (same === undefined) groups.push({ engine: { withSides, withTable }, order, tables: { [side]: table } })
    else same.tables[side] = table
  }
  return groups
}

/** Routes calls to several engines, by the locator of the dataset. Throws the errors of the engines, too. */
export function createEngineRouter({ files, databases = {} }: RoutedEngines): DataEngine & KeptRowFiles {
  const engineOfTable = (table: TableLocator): TableEngine => {
    const of = table.kind === 'relation' ? Object.entries(databases).find(([type]) => type === table.engine) : undefined
    return of?.[1] ?? files
  }
  const ofSource = (source: Source) => (isDatabaseSource(source) && databases[source.sourceType]) || files
  const engineOf = (dataset: DatasetLocator): TableEngine => {
    const tables = dataset.kind === 'query' ? dataset.tables.map((one) => one.dataset) : [dataset]
    const [first = files, ...more] = new Set(tables.map(engineOfTable))
    if (more.length === 0) return first
    throw new AssayError(
      'unprocessable',
      'The tables of this query are in several databases. Query each database separately.',
    )
  }
  const listValues: ReadValues = async (plan, call) => {
    const engine = engineOf(plan.dataset)
    if (engine === files) return files.listValues(plan, call)
    const { column, ...table } = plan
    const open = openTable<ListedValues>(engine, table, 'A lookup from another source')
    return open(call, (side) => listedAtSource(side, column))
  }
  /** The plan, with the values of lookups in other sources than its dataset. */
  async function withLookups<P extends { dataset: DatasetLocator; metrics: readonly Metric[] }>(
    plan: P,
    call: MeasureCall,
  ): Promise<P> {
    return { ...plan, metrics: await withListedLookups(plan.metrics, plan.dataset, listValues, call) }
  }
  const all = [...new Set<TableEngine>([files, ...Object.values(databases)])]
  return {
    discover: (source, call) => ofSource(source).discover(source, call),
    probe: async (source, call) => ofSource(source).probe(source, call),
    touches: files.touches,
    rewrite: files.rewrite,
    queues: files.queues,
    prepare: async (request, call) => engineOf(request.dataset).prepare(await withLookups(request, call), call),
    measure: async (plan, call) => engineOf(plan.dataset).measure(await withLookups(plan, call), call),
    measurePeriods: async (plan, call) => engineOf(plan.dataset).measurePeriods(await withLookups(plan, call), call),
    async compare(plan, call) {
      const groups = sidesAtSources(plan, (dataset) => {
        const engine = engineOf(dataset)
        return engine === files ? undefined : engine
      })
      return groups.length === 0 ? files.compare(plan, call) : files.compareAcross(plan, openInOrder(groups), call)
    },
    async take(plan, call) {
      const engine = engineOf(plan.dataset)
      if (engine === files) return files.take(plan, call)
      const { columns: _, ...table } = plan
      return files.takeAcross(plan, openTable(engine, table, 'A comparison'), call)
    },
    describe: async (plan, call) => engineOf(plan.dataset).describe(plan, call),
    lastChange: async (plan, call) => engineOf(plan.dataset).lastChange(plan, call),
    sample: async (request, call) => engineOf(request.dataset).sample(request, call),
    async profile(plan, call) {
      const engine = engineOf(plan.dataset)
      if (engine === files) return files.profile(plan, call)
      const { columns: _, ...table } = plan
      return files.profileAcross(plan, openTable(engine, table, 'A profile'), call)
    },
    close: async () => void (await Promise.all(all.map((engine) => engine.close()))),
  }
}
