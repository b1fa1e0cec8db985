import { AssayError } from '@assay/service-kit/errors'
import type { ObjectStore, StoredObject } from './store.ts'

/** Maximum number of objects of one listing. Each takes about 130 bytes of memory. */
export const maxObjects = 500_000

/** The objects below a prefix, as folders. */
export interface Listing {
  /** The entries of a folder by name; `undefined` if the folder has no objects. A null entry is a folder. */
  folders: ReadonlyMap<string, ReadonlyMap<string, StoredObject | null>>
  /** Paths of objects that cannot be paths of files. */
  odd: readonly string[]
}

const isOdd = (path: string) => path.split('/').some((name) => name === '' || name === '.' || name === '..')

/** Lists a folder of a bucket and everything below it. `base`: the prefix of all keys; paths are relative to it. */
export async function listed(
  store: ObjectStore,
  base: string,
  folder: string,
  tooMany: (max: number) => string,
): Promise<Listing> {
  const folders = new Map<string, Map<string, StoredObject | null>>()
  const odd: string[] = []
  let total = 0
  const contentOf = (path: string): Map<string, StoredObject | null> => {
    const known = folders.get(path)
    if (known !== undefined) return known
    const made = new Map<string, StoredObject | null>()
    folders.set(path, made)
    if (path === '') return made
    const at = path.lastIndexOf('/')
    contentOf(at < 0 ? '' : path.slice(0, at)).set(path.slice(at + 1), null)
    return made
  }
  for await (const page of store.list(`${base}${folder === '' ? '' : `${folder}/`}`)) {
    total += page.length
    if (total > maxObjects) throw new AssayError('unprocessable', tooMany(maxObjects))
    for (const object of page) {
      const path = object.key.slice(base.length)
      // Some programs mark empty folders by objects without content.
      if (path === '' || path.endsWith('/')) continue
      if (isOdd(path)) {
        odd.push(path)
        continue
      }
      const at = path.lastIndexOf('/')
      const content = contentOf(at < 0 ? '' : path.slice(0, at))
      const name = path.slice(at + 1)
      if (content.get(name) !== null) content.set(name, object)
    }
  }
  return { folders, odd }
}
