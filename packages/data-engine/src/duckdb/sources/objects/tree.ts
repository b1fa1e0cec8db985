import { basename, dirname } from 'node:path'
import { inParallel } from '@assay/service-kit/in-parallel'
import { storeRoot } from '../../../stores/target.ts'
import type { MountContext } from '../../mount.ts'
import { refused } from '../failures.ts'
import { formatOf, maybeDatabase } from '../files/format.ts'
import type { TableFormat } from '../files/table-formats.ts'
import type { FileTree, FoundAt, FoundFile, ReadableFiles } from '../files/tree.ts'
import { whyUnread } from '../files/unread.ts'
import { changed } from './failures.ts'
import { type Listing, listed } from './listing.ts'
import type { StoredObject } from './store.ts'
import type { OpenStore } from './stores.ts'

const atOnce = 8

const aDatabase =
  'Databases are not read from object stores. Export their tables as Parquet, or read the file as a source of its own.'
const oddKey = 'Its key has an empty part, "." or "..", so it is in no folder.'
const icebergMetadata = /\.metadata\.json(\.gz)?$/i

/**
 * The objects of a source as folders and files. Objects are listed only once; later changes are noticed when objects
 * are read.
 */
export function createObjectTree({ store, target }: OpenStore): FileTree {
  const root = storeRoot(target)
  const base = target.prefix === '' ? '' : `${target.prefix}/`
  const listings = new Map<string, Promise<Listing>>()

  const tooMany = (max: number) =>
    `The source has more than ${max} objects. Give a longer prefix, and make an assembly of each part.`

  /** The listing that covers a folder: the listing of the folder above it from which the walk began, or its own. */
  function listingOf(folder: string): Promise<Listing> {
    for (let above = folder; ; above = dirname(above)) {
      const found = listings.get(above === '.' ? '' : above)
      if (found !== undefined) return found
      if (above === '' || above === '.') break
    }
    const made = listed(store, base, folder, tooMany)
    listings.set(folder, made)
    return made
  }

  const contentOf = async (folder: string) => (await listingOf(folder)).folders.get(folder)

  async function firstWith(prefix: string): Promise<StoredObject[]> {
    for await (const page of store.list(prefix, 1000)) return page
    return []
  }

  const foundFile = (relative: string, { size, mtimeMs, version }: StoredObject): FoundAt => {
    const format = formatOf(relative)
    if (maybeDatabase(relative)) return { unread: aDatabase }
    if (format === null) return { unread: whyUnread(relative) }
    return { relative, path: `${root}/${relative}`, format, size, mtimeMs, version }
  }

  async function objectAt(relative: string): Promise<StoredObject | undefined> {
    const folder = dirname(relative) === '.' ? '' : dirname(relative)
    if (listings.size > 0) return (await contentOf(folder))?.get(basename(relative)) ?? undefined
    // The key itself comes first among those that begin with it.
    const [first] = await firstWith(`${base}${relative}`)
    return first?.key === `${base}${relative}` ? first : undefined
  }

  async function formatAt(folder: string): Promise<TableFormat | null> {
    const has = async (name: string, matches = (_: StoredObject) => true) =>
      (await firstWith(`${base}${folder === '' ? '' : `${folder}/`}${name}/`)).some(matches)
    const isMetadata = ({ key }: StoredObject) => icebergMetadata.test(key)
    const [delta, hudi, iceberg] = await Promise.all([has('_delta_log'), has('.hoodie'), has('metadata', isMetadata)])
    if (delta) return 'Delta Lake'
    if (hudi) return 'Apache Hudi'
    return iceberg ? 'Apache Iceberg' : null
  }

  async function formatAround(folder: string): Promise<TableFormat | null> {
    const parts = folder === '' ? [] : folder.split('/')
    const above = [...parts.map((_, index) => parts.slice(0, parts.length - index).join('/')), '']
    const formats = await Promise.all(above.map(formatAt))
    return formats.find((format) => format !== null) ?? null
  }

  /** The objects of a set as they are now, by path. */
  async function now({ files }: ReadableFiles): Promise<Map<string, StoredObject>> {
    const found = new Map<string, StoredObject>()
    const prefix = commonPrefix(files.map(({ relative }) => relative))
    for await (const page of store.list(`${base}${prefix}`, files.length === 1 ? 1 : undefined)) {
      for (const object of page) found.set(object.key.slice(base.length), object)
      if (files.length === 1) break
    }
    return found
  }

  return {
    root,
    async names(folder) {
      const { folders, odd } = await listingOf(folder)
      return [...(folders.get(folder)?.keys() ?? []), ...(folder === '' ? odd : [])].sort((a, b) => (a < b ? -1 : 1))
    },
    async kindOf(relative) {
      const folder = dirname(relative) === '.' ? '' : dirname(relative)
      return (await contentOf(folder))?.get(basename(relative)) === null ? 'folder' : 'file'
    },
    async fileAt(relative) {
      if ([...(await Promise.all(listings.values()))].some(({ odd }) => odd.includes(relative)))
        return { unread: oddKey }
      const object = await objectAt(relative)
      return object === undefined ? null : foundFile(relative, object)
    },
    tableFormatAt: formatAt,
    tableFormatAround: formatAround,
    opened: (context, set) => openedObjects(context, set),
    requireReadable: async () => undefined,
    async assertUnchanged(set) {
      const found = await now(set)
      const isSame = ({ relative, size, version }: FoundFile) => {
        const object = found.get(relative)
        return object !== undefined && object.size === size && object.version === version
      }
      if (!set.files.every(isSame)) throw refused(set.name, changed)
      return false
    },
  }

  async function openedObjects(context: MountContext, { files }: ReadableFiles): Promise<FoundFile[]> {
    return inParallel(files, atOnce, async (file) => {
      const object = { key: `${base}${file.relative}`, size: file.size, version: file.version ?? '' }
      const read = (range?: { from: number; to: number }) => store.read(object, file.relative, range)
      return { ...file, path: await context.objects.placed(file, read) }
    })
  }
}

/** The longest common prefix of the paths. */
function commonPrefix(paths: readonly string[]): string {
  const [first = '', ...others] = paths
  let length = first.length
  for (const path of others) while (!path.startsWith(first.slice(0, length))) length -= 1
  return first.slice(0, length)
}
