import { AssayError } from '@assay/service-kit/errors'
import type { DatasetLocator, TableLocator } from './dataset.ts'
import type { DataEngine, KeptRowFiles, MeasuringEngine } from './port.ts'

/** An engine that reads tables at the source. Missing operations reject with `not-implemented`. */
export type TableEngine = MeasuringEngine & Partial<Pick<DataEngine, 'compare' | 'profile'>>

export interface RoutedEngines {
  /** Reads all datasets without an engine of their own, discovers sources, parses users' SQL and reads stored rows. */
  files: DataEngine & KeptRowFiles
  /** Engines by the kind of their locators. */
  others?: Partial<Record<TableLocator['kind'], TableEngine>>
}

const cannot = (what: string) =>
  new AssayError('not-implemented', `${what} is not possible yet for tables that are read in their database.`)

/** Routes calls to several engines by the locator of the dataset. Also throws the errors of the engines. */
export function createEngineRouter({ files, others = {} }: RoutedEngines): DataEngine & KeptRowFiles {
  const engineOf = (dataset: DatasetLocator): TableEngine => {
    const tables = dataset.kind === 'query' ? dataset.tables.map((one) => one.dataset) : [dataset]
    const [first = files, ...more] = new Set(tables.map(({ kind }) => others[kind] ?? files))
    if (more.length === 0) return first
    throw new AssayError(
      'unprocessable',
      'The tables of this query are in several databases. Query each database separately.',
    )
  }
  const all = [...new Set<TableEngine>([files, ...Object.values(others)])]
  return {
    discover: files.discover,
    probe: files.probe,
    touches: files.touches,
    rewrite: files.rewrite,
    queues: files.queues,
    prepare: async (request, call) => engineOf(request.dataset).prepare(request, call),
    measure: async (plan, call) => engineOf(plan.dataset).measure(plan, call),
    measurePeriods: async (plan, call) => engineOf(plan.dataset).measurePeriods(plan, call),
    async compare(plan, call) {
      const [engine, other] = [plan.left, plan.right].map(({ dataset }) => engineOf(dataset))
      const { compare } = engine ?? files
      if (engine !== other)
        throw new AssayError('not-implemented', 'Tables in different databases cannot be compared yet.')
      if (compare === undefined) throw cannot('A comparison')
      return compare(plan, call)
    },
    describe: async (plan, call) => engineOf(plan.dataset).describe(plan, call),
    lastChange: async (plan, call) => engineOf(plan.dataset).lastChange(plan, call),
    sample: async (request, call) => engineOf(request.dataset).sample(request, call),
    async profile(plan, call) {
      const { profile } = engineOf(plan.dataset)
      if (profile === undefined) throw cannot('A profile')
      return profile(plan, call)
    },
    close: async () => void (await Promise.all(all.map((engine) => engine.close()))),
  }
}
