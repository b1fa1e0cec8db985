import { AssayError } from '@assay/service-kit/errors'
import { inParallel } from '@assay/service-kit/in-parallel'
import type { Bucket } from './client.ts'
import type { LocalFile } from './local-files.ts'
import { createLayout, type Manifest, parseManifest, parsePending } from './manifest.ts'

/** A committed folder as it was at the time of the look-up. */
export interface Folder {
  key: string
  manifest: Manifest
  etag: string
}

const maxConcurrent = 8
const uploadsAtOnce = 3
const maxRaces = 20

/** Committed folders of a bucket. A folder exists exactly as long as its manifest. */
export function createFolders(options: { bucket: Bucket; prefix: string; staleAfterMs: number; now: () => number }) {
  const { bucket, staleAfterMs, now } = options
  const layout = createLayout(options.prefix)
  const tenantOf = (key: string) => key.split('/')[0] ?? ''

  async function at(key: string): Promise<Folder | undefined> {
    const found = await bucket.getText(layout.manifest(key))
    return found && { key, manifest: parseManifest(found.text), etag: found.etag }
  }

  /** The keys of the folder at `key` and of the folders below it. */
  async function keysFrom(key: string): Promise<string[]> {
    const objects = await bucket.list(layout.manifestsFrom(key))
    return objects.flatMap((object) => layout.keyOf(object.key) ?? [])
  }

  /** The folder at `key` and the folders below it. */
  async function from(key: string): Promise<Folder[]> {
    return (await inParallel(await keysFrom(key), maxConcurrent, at)).flatMap((folder) => folder ?? [])
  }

  /** The folder that contains `key`, and the part of the key after it. */
  async function above(key: string): Promise<{ folder: Folder; rest: string } | undefined> {
    const segments = key.split('/')
    for (let depth = segments.length - 1; depth >= 2; depth--) {
      const folder = await at(segments.slice(0, depth).join('/'))
      if (folder !== undefined) return { folder, rest: segments.slice(depth).join('/') }
    }
    return undefined
  }

  const writeNote = (key: string, id: string) =>
    bucket.putText(layout.pending(tenantOf(key), id), JSON.stringify({ version: 1, id, key }))
  const removeNote = (key: string, id: string) => bucket.remove([layout.pending(tenantOf(key), id)])

  async function checkFree(key: string): Promise<void> {
    if ((await keysFrom(key)).length > 0 || (await above(key)) !== undefined)
      throw new AssayError('taken', `There is already an artifact at ${key}, or one above or below it.`)
  }

  /** Uploads the files below a new id, and then makes all of them visible by one conditional write. */
  async function commit(key: string, id: string, files: readonly LocalFile[]): Promise<void> {
    const named = files.map(({ name, sizeBytes }) => ({ name, sizeBytes }))
    const objects = files.map(({ name }) => layout.file(key, id, name))
    layout.checkLengths([layout.manifest(key), ...objects])
    await checkFree(key)
    const began = now()
    await writeNote(key, id)
    try {
      await inParallel(files, uploadsAtOnce, (file) =>
        bucket.putFile(layout.file(key, id, file.name), file.path, file.sizeBytes),
      )
      // A sweep treats an upload of this age as abandoned.
      if (now() - began > staleAfterMs / 2)
        throw new AssayError('timeout', 'Storing the results took too long, so they were not published. Try again.')
    } catch (error) {
      await forget(key, id, objects)
      throw error
    }
    // After an error here, it is unknown whether the manifest exists. So the files stay, and a sweep decides.
    const isNew = await bucket.putNewText(layout.manifest(key), JSON.stringify({ version: 1, id, files: named }))
    // If the answer to the first write is lost, the driver's retry is refused because of its own first write.
    const shown = isNew ? undefined : await at(key)
    if (!isNew && shown?.manifest.id !== id) {
      await forget(key, id, objects)
      if (shown === undefined)
        throw new AssayError(
          'unavailable',
          'Another artifact was being stored at the same key at the same time. Try again.',
        )
      throw new AssayError('taken', `There is already an artifact at ${key}.`)
    }
    await removeNote(key, id).catch(() => undefined)
  }

  /** Best effort: a sweep removes objects that remain. */
  async function forget(key: string, id: string, objects: readonly string[]): Promise<void> {
    try {
      await bucket.remove(objects)
      await removeNote(key, id)
    } catch {
      // The earlier error is thrown, because it matters more.
    }
  }

  async function removeWhole(key: string): Promise<void> {
    const folder = await at(key)
    if (folder === undefined) return
    const { id, files } = folder.manifest
    await writeNote(key, id)
    await bucket.remove([layout.manifest(key)])
    await bucket.remove(files.map(({ name }) => layout.file(key, id, name)))
    await removeNote(key, id)
  }

  /** Removes a file or folder inside the committed folder that contains `key`. */
  async function removeWithin(key: string): Promise<void> {
    for (let race = 0; race < maxRaces; race++) {
      const found = await above(key)
      if (found === undefined) return
      const { folder, rest } = found
      const { id, files } = folder.manifest
      const isRemoved = isAtOrBelow(rest)
      const removed = files.filter(({ name }) => isRemoved(name))
      if (removed.length === 0) return
      const remaining = files.filter(({ name }) => !isRemoved(name))
      await writeNote(folder.key, id)
      const text = JSON.stringify({ version: 1, id, files: remaining })
      if (!(await bucket.replaceText(layout.manifest(folder.key), text, folder.etag))) continue
      await bucket.remove(removed.map(({ name }) => layout.file(folder.key, id, name)))
      await removeNote(folder.key, id)
      return
    }
    throw new AssayError('unavailable', 'Other writers keep changing this artifact. Try again.')
  }

  return {
    from,
    above,
    commit,
    openFile: ({ key, manifest }: Folder, name: string) => bucket.open(layout.file(key, manifest.id, name)),
    readFile: async ({ key, manifest }: Folder, name: string) =>
      (await bucket.getText(layout.file(key, manifest.id, name)))?.text,
    async remove(prefix: string): Promise<void> {
      const keys = await keysFrom(prefix)
      if (keys.length === 0) await removeWithin(prefix)
      else await inParallel(keys, maxConcurrent, removeWhole)
    },
    /** Removes the objects that interrupted uploads and removals left. */
    async sweep(): Promise<void> {
      for (const { key: object, changedAt } of await bucket.list(layout.allPending)) {
        if (changedAt > now() - staleAfterMs) continue
        const pending = parsePending((await bucket.getText(object))?.text ?? '')
        if (pending === undefined) continue
        const { key, id } = pending
        const { manifest } = (await at(key)) ?? {}
        const kept = new Set(manifest?.id === id ? manifest.files.map(({ name }) => layout.file(key, id, name)) : [])
        const objects = await bucket.list(layout.filesOf(key, id))
        await bucket.remove(objects.map((each) => each.key).filter((each) => !kept.has(each)))
        await bucket.remove([object])
      }
    },
  }
}

/** Whether a name equals `rest` or is below it, by whole segments. */
export function isAtOrBelow(rest: string): (name: string) => boolean {
  return (name) => name === rest || name.startsWith(`${rest}/`)
}
