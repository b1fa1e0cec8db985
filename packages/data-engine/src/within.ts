import { sep } from 'node:path'
import { AssayError } from '@assay/service-kit/errors'
import type { DatasetLocator, Source } from './dataset.ts'
import type { Metric } from './plan.ts'
import type { DataEngine } from './port.ts'

const isGlob = (part: string) => /[*?[\]{}]/.test(part)

/** The part of a path that stands before its first glob: the folder that has to be there. */
export function fixedPart(path: string): string {
  const parts = path.split(sep)
  const glob = parts.findIndex(isGlob)
  return glob === -1 ? path : parts.slice(0, glob).join(sep) || sep
}

/** Whether `path` is `folder` or lies below it; both are real paths. */
export function isWithin(folder: string, path: string): boolean {
  const root = folder.endsWith(sep) ? folder : folder + sep
  return path === folder || path.startsWith(root)
}

/** Absolute paths that must lie within, for that nothing outside is read. Pure. */
function pathsOf(dataset: DatasetLocator): string[] {
  switch (dataset.kind) {
    case 'files':
      // One file is read by its name, a set by a walk through its root.
      return fixedPart(dataset.pattern) === dataset.pattern ? [dataset.pattern] : [dataset.pattern, dataset.root]
    case 'table':
      return [dataset.path]
    case 'query':
      return dataset.tables.flatMap((table) => pathsOf(table.dataset))
    default:
      return dataset satisfies never
  }
}

function datasetsOf(metrics: readonly Metric[]): DatasetLocator[] {
  return metrics.flatMap((metric) => {
    if (metric.kind === 'select') return (metric.tables ?? []).map(({ dataset }) => dataset)
    return metric.kind === 'rows' && metric.predicate.kind === 'in-lookup' ? [metric.predicate.lookup.dataset] : []
  })
}

/**
 * `engine`, bound to what lies below `folders`, links followed, whoever says what is to be read. Anything else is
 * `unprocessable` before it is opened. `undefined`: anywhere. `resolvePath`: the real path; rejects where there is nothing.
 */
export function withinFolders(
  engine: DataEngine,
  folders: readonly string[] | undefined,
  resolvePath: (path: string) => Promise<string>,
): DataEngine {
  if (folders === undefined) return engine

  async function check(paths: readonly string[]): Promise<void> {
    const roots = await Promise.all(folders?.map((folder) => resolvePath(folder).catch(() => folder)) ?? [])
    for (const path of new Set(paths)) {
      // A file whose name has glob characters is a file, not a pattern.
      const real = await resolvePath(path)
        .catch(() => resolvePath(fixedPart(path)))
        .catch((cause: unknown) => {
          throw new AssayError('unprocessable', 'The source cannot be read: there is nothing at its path.', { cause })
        })
      const climbs = path.split(sep).includes('..')
      if (climbs || !roots.some((root) => isWithin(root, real)))
        throw new AssayError(
          'unprocessable',
          'The source is not read: it lies outside of the folders that sources are allowed in.',
        )
    }
  }
  const checkSource = (source: Source) => check([source.path])
  const checkDatasets = (datasets: readonly DatasetLocator[]) => check(datasets.flatMap(pathsOf))

  return {
    ...engine,
    async *discover(source, options) {
      await checkSource(source)
      yield* engine.discover(source, options)
    },
    async probe(source, options) {
      await checkSource(source)
      return engine.probe(source, options)
    },
    async prepare(request, options) {
      await checkDatasets([request.dataset, ...datasetsOf(request.metrics)])
      return engine.prepare(request, options)
    },
    async measure(plan, options) {
      await checkDatasets([plan.dataset, ...datasetsOf(plan.metrics)])
      return engine.measure(plan, options)
    },
    async sample(request, options) {
      await checkDatasets([request.dataset])
      return engine.sample(request, options)
    },
    async distributions(request, options) {
      await checkDatasets([request.dataset])
      return engine.distributions(request, options)
    },
    async profile(plan, options) {
      await checkDatasets([plan.dataset])
      return engine.profile(plan, options)
    },
  }
}
