import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, resolve } from 'node:path'
import type { PathGuard } from '../../../path-access.ts'
import type { MountContext } from '../../mount.ts'
import { refused, unreadable } from '../failures.ts'
import { anyMatcher, globMatcher, hasWildcard } from './glob.ts'
import { createLocalTree } from './local-tree.ts'
import { whyNotLoose } from './table-formats.ts'
import type { FileTree } from './tree.ts'
import { type Found, walk } from './walk.ts'

/** The resolved location of a source of files. */
export interface SourceLocation {
  tree: FileTree
  /** The relative path of the only file; null for a folder. */
  file: string | null
  /** If `path` is a glob: its part below the root. */
  glob: string | null
  /** The name of a table that has no folder above it. */
  name: string
}

async function existing(path: string): Promise<{ root: string; folder: boolean } | null> {
  try {
    const root = await realpath(path)
    return { root, folder: (await stat(root)).isDirectory() }
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (isMissing && hasWildcard(path)) return null
    if (isMissing)
      throw refused(basename(path), "does not exist: check the path, and that Assay's machine has access to it")
    throw unreadable(error, basename(path))
  }
}

/**
 * The root of a source's `path`: the folder itself, the folder of a file, or the part of a glob before its first
 * wildcard.
 */
export async function locationOf(path: string, guard: PathGuard): Promise<SourceLocation> {
  const absolute = isAbsolute(path) ? path : resolve(path)
  // Checked first, because a refusal must not reveal whether the path exists.
  const refusal = await guard.refusal(absolute)
  if (refusal !== null) throw refused(basename(absolute), refusal)
  const found = await existing(absolute)
  const treeAt = (root: string) => createLocalTree(root, guard)
  if (found?.folder) return { tree: treeAt(found.root), file: null, glob: null, name: basename(absolute) }
  if (found !== null) {
    const root = await realpath(dirname(absolute))
    return { tree: treeAt(root), file: basename(absolute), glob: null, name: basename(root) }
  }
  const parts = absolute.split('/')
  const first = parts.findIndex(hasWildcard)
  const base = parts.slice(0, first).join('/') || '/'
  const folder = await existing(base)
  if (folder === null || !folder.folder) throw unreadable(new Error('ENOTDIR'), basename(base))
  return { tree: treeAt(folder.root), file: null, glob: parts.slice(first).join('/'), name: basename(folder.root) }
}

export interface Selection {
  include: readonly string[] | undefined
  exclude: readonly string[] | undefined
}

/** Everything in a source, in order. */
export async function* foundIn(
  location: SourceLocation,
  selection: Selection,
  { signal }: Pick<MountContext, 'signal'>,
): AsyncGenerator<Found> {
  const { tree } = location
  const format = await tree.tableFormatAround('')
  if (format !== null) {
    yield { kind: 'skipped', path: location.file ?? '.', message: `${location.name} ${whyNotLoose(format)}` }
    return
  }
  if (location.file !== null) {
    const file = await tree.fileAt(location.file).catch((error: unknown) => {
      throw unreadable(error, location.file ?? '')
    })
    if (file === null || 'unread' in file) {
      const why = file === null ? `${location.file} is not a file.` : `${location.file}: ${file.unread}`
      yield {
        kind: 'failed',
        path: location.file,
        message: why,
      }
    } else if ('failed' in file)
      yield { kind: 'failed', path: location.file, message: `${location.file} ${file.failed}.` }
    else if ('engine' in file) yield { kind: 'database', file }
    else yield { kind: 'file', file }
    return
  }
  const globbed = location.glob === null ? null : globMatcher(location.glob)
  const included =
    selection.include === undefined || selection.include.length === 0 ? null : anyMatcher(selection.include)
  const excludes = anyMatcher(selection.exclude ?? [])
  const accepts = (relative: string) =>
    (globbed === null || globbed(relative)) && (included === null || included(relative)) && !excludes(relative)
  yield* walk({ tree, accepts, excludes, signal })
}
