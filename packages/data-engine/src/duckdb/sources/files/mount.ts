import { relative } from 'node:path'
import { isAssayError } from '@assay/service-kit/errors'
import type { FilesLocator } from '../../../locators.ts'
import type { MountContext, Mounted } from '../../mount.ts'
import { refused, unreadable } from '../failures.ts'
import { createObjectTree } from '../objects/tree.ts'
import { requiredIn } from '../parquet/table.ts'
import { withFileDates } from './dated-rows.ts'
import { hashOfFiles, learntFrom, stateOfFiles } from './fingerprint.ts'
import { anyMatcher, globMatcher, hasWildcard, literalPath } from './glob.ts'
import { withKnownTypes } from './known-types.ts'
import { createLocalTree } from './local-tree.ts'
import { readFiles } from './table.ts'
import { whyNotLoose } from './table-formats.ts'
import { partitionPattern } from './tables.ts'
import type { FileTree, FoundFile } from './tree.ts'
import { addFiles, walk } from './walk.ts'

function nameOf(locator: FilesLocator): string {
  return relative(locator.root, locator.pattern) || locator.pattern.split('/').at(-1) || 'the source'
}

type Opening = Pick<MountContext, 'guard' | 'stores'>

/** The files of the source of a dataset. Rejects with `unprocessable` if they may not be read. */
async function treeOf({ guard, stores }: Opening, locator: FilesLocator): Promise<FileTree> {
  if (locator.store !== undefined) {
    const tree = createObjectTree(await stores.open(locator.store.source))
    if (tree.root === locator.root) return tree
    throw refused(nameOf(locator), 'is from another bucket or prefix than the source has now: crawl the source again')
  }
  const refusal = await guard.refusal(locator.root)
  if (refusal !== null) throw refused(nameOf(locator), refusal)
  return createLocalTree(locator.root, guard)
}

/** The files of a dataset as they are now. Throws `unprocessable` if there are none, or if they may not be read. */
export async function filesOf(
  context: Opening & Pick<MountContext, 'signal'>,
  locator: FilesLocator,
): Promise<FoundFile[]> {
  return filesIn(await treeOf(context, locator), locator, context.signal)
}

async function filesIn(tree: FileTree, locator: FilesLocator, signal: AbortSignal): Promise<FoundFile[]> {
  const files = await filesNow(tree, locator, signal)
  if (files.length === 0) throw refused(nameOf(locator), 'no longer matches a file: crawl the source again')
  return files
}

async function filesNow(tree: FileTree, locator: FilesLocator, signal: AbortSignal): Promise<FoundFile[]> {
  const known = learntFrom(locator.fingerprint)
  const pattern = relative(locator.root, locator.pattern)
  if (pattern.startsWith('..')) throw refused(nameOf(locator), 'lies outside its source')
  const parts = pattern.split('/')
  const literal = known?.set === true ? parts.slice(0, parts.findIndex(hasWildcard)) : parts.slice(0, -1)
  const folder = literal.join('/')
  const format = await tree.tableFormatAround(folder)
  if (format !== null) throw refused(nameOf(locator), whyNotLoose(format).replace(/\.$/, ''))
  if (known?.set !== true) {
    const file = await tree.fileAt(pattern).catch((error: unknown) => {
      throw unreadable(error, nameOf(locator))
    })
    if (file === null || 'engine' in file || 'unread' in file)
      throw refused(nameOf(locator), 'is no longer a file: crawl the source again')
    if ('failed' in file) throw refused(nameOf(locator), file.failed)
    return [file]
  }
  const matches = globMatcher(pattern)
  const excludes = anyMatcher(known.exclude ?? [])
  const included = known.include === undefined ? () => true : anyMatcher(known.include)
  const accepts = (path: string) => matches(path) && included(path) && !excludes(path)
  const files: FoundFile[] = []
  for await (const found of walk({ tree, accepts, excludes, signal }, folder)) {
    if (found.kind === 'file' || found.kind === 'partitioned') {
      const isMember = !locator.partitioned || (found.kind === 'partitioned' && isPatternOf(locator, found.folder))
      if (isMember) addFiles(files, found)
    } else if (found.kind === 'failed' && found.path === (folder || '.'))
      throw refused(nameOf(locator), found.message.replace(/\.$/, ''))
  }
  return files.filter((file) => file.format === locator.format)
}

/** Whether a partitioned folder is the one of the locator: there may be other partitioned folders below it. */
function isPatternOf({ root, pattern }: FilesLocator, folder: string): boolean {
  return pattern === partitionPattern(root, folder)
}

const changeOf = (file: FoundFile) => Math.floor(file.mtimeMs)

function newestChange(files: readonly FoundFile[]): number {
  return files.reduce((newest, file) => Math.max(newest, changeOf(file)), 0)
}

function filesWithin(files: FoundFile[], window: MountContext['filesWindow']): FoundFile[] {
  if (window === undefined) return files
  const { inclusive } = window
  const min = window.min === undefined ? Number.NEGATIVE_INFINITY : Date.parse(window.min)
  const max = window.max === undefined ? Number.POSITIVE_INFINITY : Date.parse(window.max)
  return files.filter((file) => {
    const at = changeOf(file)
    return inclusive ? at >= min && at <= max : at > min && at < max
  })
}

function without(files: readonly FoundFile[], others: readonly FoundFile[]): FoundFile[] {
  const left = new Set(files)
  for (const other of others) left.delete(other)
  return [...left]
}

/**
 * Makes the files of a crawl readable. If names, sizes and change times are unchanged since the crawl, its types are
 * reused; otherwise they are inferred again.
 */
export async function mountFiles(context: MountContext, locator: FilesLocator): Promise<Mounted> {
  const learnt = learntFrom(locator.fingerprint)
  const tree = await treeOf(context, locator)
  const files = await filesIn(tree, locator, context.signal)
  const within = filesWithin(files, context.filesWindow)
  // An empty file of a table has no rows. If the window has no other file, the table's other files give the columns.
  const none = locator.format !== 'PARQUET' ? within.every(({ size }) => size === 0) : within.length === 0
  const all = hashOfFiles(files)
  const unchanged = learnt !== null && learnt.files === all
  const set = {
    tree,
    name: nameOf(locator),
    format: locator.format,
    partitioned: locator.partitioned,
    csv: locator.csv ?? {},
    files: none ? files : within,
  }
  const known = unchanged ? { columns: locator.columns, learnt } : null
  const { fileDates } = context
  const readAll = async () => {
    const all = await readFiles(context, set, known)
    return fileDates === undefined ? all : withFileDates(context, set, all, fileDates)
  }
  const read = await readAll().catch(async (error: unknown) => {
    context.signal.throwIfAborted()
    // A file that is being written looks damaged, so report that it changed instead.
    if (!isAssayError(error, 'too-large')) await tree.assertUnchanged(set, false)
    throw error
  })
  // Parquet files contain their types.
  const isGuessed = !unchanged && set.format !== 'PARQUET'
  const reading = isGuessed ? await withKnownTypes(context.connection, read, locator.columns) : read
  return {
    relation: reading.relation,
    columns: reading.columns.map(({ name, dataType }) => ({ name, dataType })),
    warnings: reading.warnings,
    // Parquet has its index at the end, so a longer file is a different one.
    assertUnchanged: async (mayGrow) => {
      // Rows are returned only if their files may still be read.
      await tree.requireReadable(set)
      return tree.assertUnchanged(set, mayGrow && set.format !== 'PARQUET')
    },
    state: stateOfFiles(locator, files),
    allowedDirectories: [],
    // A file name with wildcards is read through an escaped pattern, and the engine checks both forms.
    allowedPaths: [...new Set(reading.paths.flatMap((path) => [path, literalPath(path)]))],
    partitions: { total: files.length, scanned: within.length },
    ...(context.filesWindow === undefined
      ? {}
      : {
          files: {
            none,
            newest: within.length === 0 ? null : new Date(newestChange(within)).toISOString(),
            all,
            outside: hashOfFiles(without(files, within)),
          },
        }),
    ...(locator.format === 'PARQUET' && fileDates === undefined
      ? {
          parquetFiles: reading.paths,
          partitionColumns: reading.partitions ?? [],
          required: () => requiredIn(context.connection, reading.paths),
        }
      : {}),
  }
}
