import { relative } from 'node:path'
import { isAssayError } from '@assay/service-kit/errors'
import type { FilesLocator } from '../../../locators.ts'
import type { MountContext, Mounted } from '../../mount.ts'
import { refused, unreadable } from '../failures.ts'
import { requiredIn } from '../parquet/table.ts'
import { hashOfFiles, type Learnt, learntFrom, stateOfFiles } from './fingerprint.ts'
import { anyMatcher, globMatcher, hasWildcard, literalPath } from './glob.ts'
import { requireInside } from './inside.ts'
import { withKnownTypes } from './known-types.ts'
import { readFiles } from './table.ts'
import { partitionPattern } from './tables.ts'
import { assertUnchanged } from './unchanged.ts'
import { addFiles, type FoundFile, fileAt, walk } from './walk.ts'

function nameOf(locator: FilesLocator): string {
  return relative(locator.root, locator.pattern) || locator.pattern.split('/').at(-1) || 'the source'
}

/** The files of a dataset as they are now. Error: `unprocessable` if there is none, or they may not be read. */
export async function filesOf(
  context: Pick<MountContext, 'guard' | 'signal'>,
  locator: FilesLocator,
): Promise<FoundFile[]> {
  const files = await filesNow(context, locator, learntFrom(locator.fingerprint))
  if (files.length === 0) throw refused(nameOf(locator), 'no longer matches a file: crawl the source again')
  return files
}

async function filesNow(
  { guard, signal }: Pick<MountContext, 'guard' | 'signal'>,
  locator: FilesLocator,
  known: Learnt | null,
): Promise<FoundFile[]> {
  const pattern = relative(locator.root, locator.pattern)
  if (pattern.startsWith('..')) throw refused(nameOf(locator), 'lies outside its source')
  const refusal = await guard.refusal(locator.root)
  if (refusal !== null) throw refused(nameOf(locator), refusal)
  if (known?.set !== true) {
    const file = await fileAt(locator.root, pattern, guard).catch((error: unknown) => {
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
  const parts = pattern.split('/')
  const folder = parts.slice(0, parts.findIndex(hasWildcard)).join('/')
  for await (const found of walk({ root: locator.root, accepts, excludes, guard, signal }, folder)) {
    if (found.kind === 'file' || found.kind === 'partitioned') {
      const isMember = !locator.partitioned || (found.kind === 'partitioned' && isPatternOf(locator, found.folder))
      if (isMember) addFiles(files, found)
    } else if (found.kind === 'failed' && found.path === (folder || '.'))
      throw refused(nameOf(locator), found.message.replace(/\.$/, ''))
  }
  return files.filter((file) => file.format === locator.format)
}

/** Whether a partitioned folder is the one of the locator: there may be others below it. */
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
 * Makes the files of a crawl readable. If names, sizes and change times are unchanged since the crawl, so are the
 * types; otherwise they are inferred again.
 */
export async function mountFiles(context: MountContext, locator: FilesLocator): Promise<Mounted> {
  const learnt = learntFrom(locator.fingerprint)
  const files = await filesOf(context, locator)
  const within = filesWithin(files, context.filesWindow)
  const all = hashOfFiles(files)
  const unchanged = learnt !== null && learnt.files === all
  const set = {
    root: locator.root,
    name: nameOf(locator),
    format: locator.format,
    partitioned: locator.partitioned,
    csv: locator.csv ?? {},
    files: within.length === 0 ? files : within,
  }
  const known = unchanged ? { columns: locator.columns, learnt } : null
  const read = await readFiles(context, set, known).catch(async (error: unknown) => {
    context.signal.throwIfAborted()
    // A file that is being written looks damaged, so report that it changed instead.
    if (!isAssayError(error, 'too-large')) await assertUnchanged(set.files, set.name, false)
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
      // Rows are returned only if reading their files is still allowed.
      await requireInside(context.guard, set)
      return assertUnchanged(set.files, set.name, mayGrow && set.format !== 'PARQUET')
    },
    state: stateOfFiles(locator, files),
    allowedDirectories: [],
    // A name with wildcards is read through an escaped pattern, and the engine checks both forms.
    allowedPaths: [...new Set(reading.paths.flatMap((path) => [path, literalPath(path)]))],
    ...(context.filesWindow === undefined
      ? {}
      : {
          files: {
            none: within.length === 0,
            newest: new Date(newestChange(set.files)).toISOString(),
            all,
            outside: hashOfFiles(without(files, within)),
          },
        }),
    ...(locator.format === 'PARQUET'
      ? {
          parquetFiles: reading.paths,
          partitionColumns: reading.partitions ?? [],
          required: () => requiredIn(context.connection, reading.paths),
        }
      : {}),
  }
}
