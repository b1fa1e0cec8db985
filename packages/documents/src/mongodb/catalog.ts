import { AssayError } from '@assay/service-kit/errors'
import type { Collection } from 'mongodb'
import { isDuplicateKey } from './errors.ts'
import type { Layout } from './layout.ts'

/**
 * The live MongoDB collection of a read model and version. A change raises `epoch`, and applies only if the epoch is
 * still the one that was read. So of two concurrent changes, one wins.
 */
export interface Entry {
  /** `Layout.entryId`. */
  _id: string
  name: string
  version: number
  signature: string
  epoch: number
  live: string
  /**
   * A collection that also receives all puts: the one that a rebuild fills or, briefly after a switch, the former live
   * one.
   */
  also: string | null
  /** False until a rebuild has been committed. */
  built: boolean
  /** Set if a rebuild of another version was committed. Nothing may write here then. */
  retired: boolean
}

/** The fields of an entry that a rebuild changes. */
export type EntryChange = Partial<Pick<Entry, 'live' | 'also' | 'built' | 'retired'>>

/** The entry of `layout`. If there is no usable one, creates an empty one that needs a rebuild. */
export async function preparedEntry(catalog: Collection<Entry>, layout: Layout): Promise<Entry> {
  const { name, version, signature, entryId: _id } = layout
  for (;;) {
    const known = await catalog.findOne({ _id })
    if (known !== null && known.signature === signature && !known.retired) return known
    const epoch = (known?.epoch ?? 0) + 1
    const live = layout.physical(epoch)
    const entry: Entry = { _id, name, version, signature, epoch, live, also: null, built: false, retired: false }
    if (known === null) {
      try {
        await catalog.insertOne(entry)
        return entry
      } catch (error) {
        if (!isDuplicateKey(error)) throw error
      }
    } else if ((await catalog.replaceOne({ _id, epoch: known.epoch }, entry)).matchedCount === 1) return entry
  }
}

/** The entry after `change`; `undefined` if another process changed it first. */
export async function changedEntry(
  catalog: Collection<Entry>,
  entry: Entry,
  change: EntryChange,
): Promise<Entry | undefined> {
  const { _id, epoch } = entry
  const after = { ...entry, ...change, epoch: epoch + 1 }
  const { matchedCount } = await catalog.replaceOne({ _id, epoch }, after)
  return matchedCount === 1 ? after : undefined
}

/** The entry, if this process can use it. Otherwise throws `unavailable`. */
export function usable(entry: Entry | undefined, layout: Layout): Entry {
  if (entry === undefined)
    throw new AssayError(
      'unavailable',
      `The catalog entry of the read model ${layout.name} is missing in MongoDB. Restart the service and rebuild the read model.`,
    )
  if (entry.retired || entry.signature !== layout.signature)
    throw new AssayError(
      'unavailable',
      `Another version has replaced the read model ${layout.name}. Restart or stop this process.`,
    )
  return entry
}
