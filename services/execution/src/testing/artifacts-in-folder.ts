import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Artifacts } from '@assay/artifacts'

/** Artifacts below a temporary folder, without the promises about crashes. */
export function createArtifactsInFolder(root: string): Artifacts {
  const missing = () => undefined
  const listed = async (folder: string): Promise<{ key: string; sizeBytes: number }[]> => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    const files = entries.filter((entry) => entry.isFile())
    return Promise.all(
      files.map(async (entry) => {
        const path = join(entry.parentPath, entry.name)
        return { key: relative(root, path), sizeBytes: (await stat(path)).size }
      }),
    )
  }
  return {
    stage: async () => {
      await mkdir(join(root, '.stages'), { recursive: true })
      const folder = await mkdtemp(join(root, '.stages', 's-'))
      return {
        folder,
        commit: async (key) => {
          const target = join(root, key)
          await mkdir(dirname(target), { recursive: true })
          await rename(folder, target)
        },
        discard: () => rm(folder, { recursive: true, force: true }),
      }
    },
    list: (prefix) => listed(join(root, prefix)),
    open: async (key) => {
      const found = await stat(join(root, key)).catch(missing)
      return found && { sizeBytes: found.size, stream: createReadStream(join(root, key)) }
    },
    readText: (key) => readFile(join(root, key), 'utf8').catch(missing),
    remove: (prefix) => rm(join(root, prefix), { recursive: true, force: true }),
    sweep: async () => undefined,
    close: async () => undefined,
  }
}
