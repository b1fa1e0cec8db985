import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import type { Clock, NewId } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { createStaging } from '../filesystem/staging.ts'
import { checkedKey, checkedPrefix, stagingFolder } from '../key.ts'
import type { Artifacts, StoredFile } from '../port.ts'
import { assertTenant, createStage } from '../stage.ts'
import { maxTextBytes, tooLargeForText } from '../text-limit.ts'
import { createBucket, type S3Options } from './client.ts'
import { translating } from './errors.ts'
import { createFolders, type Folder, isAtOrBelow } from './folders.ts'
import { localFiles } from './local-files.ts'

const dayMs = 24 * 60 * 60 * 1000
/** Maximum number of look-ups of a file that is removed or replaced between two requests. */
const maxLookUps = 5

/**
 * Artifacts as objects of a bucket. Stages are folders below `stagingRoot` on a local disk. `commit` uploads their
 * files, and then writes a manifest on the condition that none exists. This single write makes the folder visible.
 * Rejects with `unavailable` if the bucket cannot be reached or used.
 */
export async function createS3Artifacts(options: {
  s3: S3Options
  /** Prefix of all object keys, so that several installations can share a bucket. */
  prefix?: string | undefined
  stagingRoot: string
  /** This machine's name, if other machines use the same staging folder; letters, digits and `.` only. */
  host?: string | undefined
  newId: NewId
  clock: Clock
  /** Age after which an unfinished upload counts as abandoned. Default one day. */
  staleAfterMs?: number | undefined
}): Promise<Artifacts> {
  const { newId, clock, host, staleAfterMs = dayMs } = options
  const bucket = createBucket(options.s3)
  const prefix = options.prefix ? `${options.prefix.replace(/\/$/, '')}/` : ''
  const folders = createFolders({ bucket, prefix, staleAfterMs, now: () => clock.now() })
  const staging = createStaging({
    async folder() {
      const path = join(resolve(options.stagingRoot), stagingFolder)
      await mkdir(path, { recursive: true, mode: 0o700 })
      return path
    },
    newId,
    sharedWith: host === undefined ? undefined : { host, clock },
  })
  try {
    await translating(() => bucket.check())
  } catch (error) {
    bucket.close()
    throw error
  }

  /** Looks up the file of `key` and reads it with `take`; `undefined` if there is no such file. */
  async function found<T>(
    key: string,
    take: (folder: Folder, file: { name: string; sizeBytes: number }) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    checkedKey(key)
    for (let lookUps = 0; lookUps < maxLookUps; lookUps++) {
      const { folder, rest } = (await folders.above(key)) ?? {}
      const file = folder?.manifest.files.find(({ name }) => name === rest)
      if (folder === undefined || file === undefined) return undefined
      const taken = await take(folder, file)
      if (taken !== undefined) return taken
    }
    throw new AssayError('internal', `The file ${key} is missing in the object store.`)
  }

  const inFolder = ({ key, manifest }: Folder): StoredFile[] =>
    manifest.files.map(({ name, sizeBytes }) => ({ key: `${key}/${name}`, sizeBytes }))

  return {
    stage: (tenant) =>
      translating(async () => {
        assertTenant(tenant)
        const path = await staging.make()
        async function commit(key: string): Promise<void> {
          await folders.commit(key, newId(), await localFiles(path))
          // The commit has succeeded. If the local copy cannot be removed, a sweep removes it.
          await staging.remove(path).catch(() => staging.release(path))
        }
        return createStage(tenant, { path, commit, remove: () => staging.remove(path) }, translating)
      }),
    list: (prefix) =>
      translating(async () => {
        checkedPrefix(prefix)
        const below = await folders.from(prefix)
        const above = below.length > 0 ? undefined : await folders.above(prefix)
        const files = above
          ? inFolder(above.folder).filter(({ key }) => isAtOrBelow(prefix)(key))
          : below.flatMap(inFolder)
        return files.toSorted((a, b) => (a.key < b.key ? -1 : 1))
      }),
    open: (key) =>
      translating(() =>
        found(
          key,
          async (folder, { name, sizeBytes }): Promise<{ sizeBytes: number; stream: Readable } | undefined> => {
            const stream = await folders.openFile(folder, name)
            return stream && { sizeBytes, stream }
          },
        ),
      ),
    readText: (key) =>
      translating(() =>
        found(key, async (folder, { name, sizeBytes }) => {
          if (sizeBytes <= maxTextBytes) return folders.readFile(folder, name)
          throw tooLargeForText(key)
        }),
      ),
    remove: (prefix) =>
      translating(async () => {
        checkedPrefix(prefix)
        await folders.remove(prefix)
      }),
    sweep: () =>
      translating(async () => {
        await staging.sweep()
        await folders.sweep()
      }),
    check: () => translating(() => bucket.check()),
    async close() {
      bucket.close()
    },
  }
}
