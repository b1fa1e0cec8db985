import { constants } from 'node:fs'
import { access, type FileHandle, lstat, mkdir, open, opendir, realpath, rename, rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { NewId } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { checkedKey, checkedPrefix, stagingFolder } from '../key.ts'
import type { Artifacts } from '../port.ts'
import { assertTenant, createStage } from '../stage.ts'
import { maxTextBytes, tooLargeForText } from '../text-limit.ts'
import { syncFolder, syncTree } from './durable.ts'
import { isAbsent, systemCode, translating } from './errors.ts'
import { listed } from './listing.ts'
import { foreignFolder } from './owner.ts'
import { createStaging, type SharedWith } from './staging.ts'

/** Maximum number of attempts of a commit whose parent folders are removed concurrently. */
const maxParentRaces = 100

/**
 * Artifacts as files below `root`, which is created if it is missing. Links below `root` are refused. `sharedWith`: set
 * if other machines use the same folder; otherwise all stages count as this machine's.
 */
export function createFilesystemArtifacts(options: { root: string; newId: NewId; sharedWith?: SharedWith }): Artifacts {
  const root = resolve(options.root)
  const staging = createStaging({
    folder: async () => folderAt(join(await realRoot(), stagingFolder)),
    newId: options.newId,
    sharedWith: options.sharedWith,
  })

  async function folderAt(path: string): Promise<string> {
    await mkdir(path, { recursive: true, mode: 0o700 })
    return path
  }

  async function realRoot(): Promise<string> {
    try {
      return await realpath(await folderAt(root))
    } catch (error) {
      const code = systemCode(error)
      if (code !== 'EEXIST' && code !== 'ENOTDIR' && code !== 'ENOENT') throw error
      throw new AssayError(
        'unavailable',
        'The results folder cannot be created. Check that its path leads to a folder.',
        {
          cause: error,
        },
      )
    }
  }

  /**
   * Checks that this process may read and write the root. The error names the path and both users, so it is for
   * operators.
   */
  async function usableRoot(): Promise<string> {
    try {
      const path = await realRoot()
      await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
      return path
    } catch (error) {
      throw (await foreignFolder(root, error)) ?? error
    }
  }

  /** The path of the segments; `undefined` if nothing exists there. Refuses links on the way. */
  async function existing(segments: readonly string[]): Promise<string | undefined> {
    const path = join(await realRoot(), ...segments)
    try {
      if ((await realpath(path)) === path) return path
    } catch (error) {
      if (isAbsent(error)) return undefined
      if (systemCode(error) !== 'ELOOP') throw error
    }
    throw new AssayError('invalid', 'The key of this artifact contains a link, which is not followed.')
  }

  /**
   * The folder into which a stage is moved. Creates its parents, none of which may be a link. `changed` collects the
   * folders that got an entry.
   */
  async function parentOf(segments: readonly string[], changed: Set<string>): Promise<string> {
    let path = await realRoot()
    for (const segment of segments.slice(0, -1)) {
      path = join(path, segment)
      try {
        await mkdir(path, { mode: 0o700 })
        changed.add(dirname(path))
      } catch (error) {
        if (systemCode(error) !== 'EEXIST') throw error
        const stats = await lstat(path)
        if (!stats.isDirectory())
          throw new AssayError(stats.isFile() ? 'taken' : 'invalid', 'A part of the key exists and is not a folder.')
      }
    }
    return path
  }

  async function moveInto(folder: string, key: string, segments: readonly string[]): Promise<void> {
    const changed = new Set<string>()
    for (let race = 1; ; race++) {
      try {
        changed.add(await moveOnce(folder, key, segments, changed))
        break
      } catch (error) {
        // A concurrent removal deleted the empty parent before the commit used it.
        if (systemCode(error) !== 'ENOENT' || race === maxParentRaces) throw error
      }
    }
    for (const path of changed)
      await syncFolder(path).catch((error: unknown) => {
        // Another process has already removed the artifact and its parent.
        if (!isAbsent(error)) throw error
      })
  }

  /** Returns the folder that now holds the artifact. */
  async function moveOnce(
    folder: string,
    key: string,
    segments: readonly string[],
    changed: Set<string>,
  ): Promise<string> {
    const taken = (cause?: unknown) => new AssayError('taken', `There is already an artifact at ${key}.`, { cause })
    const parent = await parentOf(segments, changed)
    const target = join(parent, segments.at(-1) ?? '')
    const present = await lstat(target).then(
      () => true,
      (error: unknown) => {
        if (isAbsent(error)) return false
        throw error
      },
    )
    if (present) throw taken()
    try {
      // Of two concurrent commits only one succeeds, because rename never replaces a folder that is not empty.
      await rename(folder, target)
    } catch (error) {
      const code = systemCode(error)
      throw code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR' ? taken(error) : error
    }
    return parent
  }

  /** Removes the empty folders above `path`, up to the root. Stops at the first folder that cannot be removed. */
  async function removeEmptyAbove(path: string): Promise<void> {
    const top = await realRoot()
    for (let folder = dirname(path); folder !== top; folder = dirname(folder)) {
      try {
        await rmdir(folder)
      } catch (error) {
        if (!isAbsent(error)) return
      }
    }
  }

  async function opened(key: string): Promise<{ handle: FileHandle; path: string; sizeBytes: number } | undefined> {
    const path = await existing(checkedKey(key))
    if (path === undefined) return undefined
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
      (error: unknown) => {
        if (isAbsent(error)) return undefined
        throw error
      },
    )
    if (handle === undefined) return undefined
    try {
      const stats = await handle.stat()
      if (stats.isFile()) return { handle, path, sizeBytes: stats.size }
    } catch (error) {
      await handle.close()
      throw error
    }
    await handle.close()
    return undefined
  }

  return {
    stage: (tenant) =>
      translating(async () => {
        assertTenant(tenant)
        const path = await staging.make()
        async function commit(key: string, segments: readonly string[]): Promise<void> {
          await syncTree(path)
          await moveInto(path, key, segments)
          staging.release(path)
        }
        return createStage(tenant, { path, commit, remove: () => staging.remove(path) }, translating)
      }),
    list: (prefix) =>
      translating(async () => {
        const path = await existing(checkedPrefix(prefix))
        return path === undefined ? [] : await listed(path, prefix)
      }),
    open: (key) =>
      translating(async () => {
        const file = await opened(key)
        if (file === undefined) return undefined
        const { sizeBytes, path } = file
        return { sizeBytes, path, stream: file.handle.createReadStream({ start: 0 }) }
      }),
    readText: (key) =>
      translating(async () => {
        const file = await opened(key)
        if (file === undefined) return undefined
        try {
          if (file.sizeBytes <= maxTextBytes) return await file.handle.readFile('utf8')
        } finally {
          await file.handle.close()
        }
        throw tooLargeForText(key)
      }),
    remove: (prefix) =>
      translating(async () => {
        const path = await existing(checkedPrefix(prefix))
        if (path === undefined) return
        const trash = await staging.make()
        const removed = join(trash, 'removed')
        try {
          // Moves the folder away first, so that readers see either all of it or nothing while its files are deleted.
          await rename(path, removed)
          await syncFolder(dirname(path))
          // Removing the last file keeps the committed folder.
          if ((await lstat(removed)).isDirectory()) await removeEmptyAbove(path)
        } catch (error) {
          if (!isAbsent(error)) throw error
        } finally {
          await staging.remove(trash)
        }
      }),
    sweep: () => translating(() => staging.sweep()),
    check: () =>
      translating(async () => {
        const path = await usableRoot()
        const entries = await opendir(path, { bufferSize: 1 })
        try {
          await entries.read()
        } finally {
          await entries.close()
        }
      }),
    async close() {},
  }
}
