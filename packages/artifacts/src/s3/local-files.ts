import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AssayError } from '@assay/service-kit/errors'

export interface LocalFile {
  /** Relative to the folder, `/`-separated. */
  name: string
  path: string
  sizeBytes: number
}

/** The files below `folder`, by name. Throws `invalid` for anything but files and folders, such as a link. */
export async function localFiles(folder: string, below = ''): Promise<LocalFile[]> {
  const found: LocalFile[] = []
  for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`
    const path = join(folder, name)
    if (entry.isDirectory()) found.push(...(await localFiles(folder, name)))
    else if (entry.isFile()) found.push({ name, path, sizeBytes: (await lstat(path)).size })
    else throw new AssayError('invalid', 'A result folder can hold files and folders only.')
  }
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
