import { relative } from 'node:path'
import { type DataEngine, fixedPart, isWithin, type Source } from '@assay/data-engine'
import { AssayError } from '@assay/service-kit/errors'

/**
 * Keeps Assay's own folders (its log with the keys' hashes, everybody's results) from being a source: a path within one is
 * refused with `invalid`; a folder that holds one is read without it.
 */
export function withoutOwnData(
  engine: DataEngine,
  ownFolders: readonly string[],
  resolvePath: (path: string) => Promise<string>,
): DataEngine {
  const real = (path: string) => resolvePath(path).catch(() => path)

  async function guarded(source: Source): Promise<Source> {
    const path = await real(fixedPart(source.path))
    const own = await Promise.all(ownFolders.map(real))
    if (own.some((folder) => isWithin(folder, path)))
      throw new AssayError('invalid', "configuration.path: lies in Assay's own data folder, which is no source")
    const below = own.filter((folder) => isWithin(path, folder))
    if (source.sourceType !== 'FILE' || below.length === 0) return source
    return { ...source, exclude: [...(source.exclude ?? []), ...below.map((folder) => `${relative(path, folder)}/**`)] }
  }

  return {
    ...engine,
    async probe(source, options) {
      return engine.probe(await guarded(source), options)
    },
    async *discover(source, options) {
      yield* engine.discover(await guarded(source), options)
    },
  }
}
