import { dirname } from 'node:path'
import { type CsvOptions, type FileSource, isStoreSource, type SkippedFiles } from '../../../dataset.ts'
import type { MountContext } from '../../mount.ts'
import type { Emit } from '../emit.ts'
import { failedAt, hasBrokenDown, refused } from '../failures.ts'
import { locationInStore } from '../objects/location.ts'
import { discoverDatabase, probeDatabase } from './database.ts'
import { haveDates } from './dated-names.ts'
import { fingerprintOf, hashOfFiles } from './fingerprint.ts'
import { globMatcher } from './glob.ts'
import { foundIn, locationOf, type SourceLocation } from './location.ts'
import type { FileReading, FileSet } from './reading.ts'
import { readFiles } from './table.ts'
import { folderParts, partitionValues, singleTable, type TableFiles, tablesOf } from './tables.ts'
import { collectSkipped } from './unread.ts'

function selectionOf(source: FileSource) {
  return { include: source.include, exclude: source.exclude }
}

const openLocation = (context: MountContext, source: FileSource): Promise<SourceLocation> =>
  isStoreSource(source) ? locationInStore(context, source) : locationOf(source.path, context.guard)

/**
 * The number of tables of a source of files, from the names of its files and the table lists of its databases. Throws
 * `unprocessable` if the source cannot be opened.
 */
export async function probeFiles(
  context: MountContext,
  source: FileSource,
): Promise<{ tables: number; skipped: SkippedFiles }> {
  return probeLocation(context, source, await openLocation(context, source))
}

async function probeLocation(context: MountContext, source: FileSource, location: SourceLocation) {
  let tables = 0
  const skipped = collectSkipped()
  for await (const found of tablesOf(location, foundIn(location, selectionOf(source), context))) {
    if (found.kind === 'table') tables += 1
    else if (found.kind === 'database') tables += await probeDatabase(context, location.tree.root, found.file)
    else if (found.kind === 'skipped') skipped.add(found)
    else if (found.path === '.') throw refused(location.name, found.message.replace(/^\. |\.$/g, ''))
  }
  return { tables, skipped: skipped.all() }
}

/** The options of a file or set, by its path: the options of the assembly, overridden by each pattern that matches. */
function optionsOf(source: FileSource, path: string): CsvOptions | undefined {
  const matching = (source.files ?? []).filter(({ pattern }) => globMatcher(pattern)(path))
  if (matching.length === 0) return source.csv
  return Object.assign({}, source.csv, ...matching.map(({ csv }) => csv))
}

function setOf(location: SourceLocation, source: FileSource, table: TableFiles): FileSet {
  const { name, format, partitioned, files } = table
  const only = files.length === 1 ? files[0]?.relative : undefined
  return {
    tree: location.tree,
    name: only ?? [...table.path, name].join('/'),
    format,
    partitioned,
    csv: optionsOf(source, only ?? [...table.path, name].join('/')) ?? {},
    files,
  }
}

/** Only the options that are set, because locators are JSON. */
function stated(csv: CsvOptions) {
  return Object.fromEntries(
    Object.entries(csv).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  )
}

const storeOf = ({ sourceId }: MountContext) => (sourceId === undefined ? {} : { source: sourceId })

function emitTable(
  context: MountContext,
  location: SourceLocation,
  source: FileSource,
  table: TableFiles,
  reading: FileReading,
  emit: Emit,
): unknown {
  const { path, name, pattern, format, partitioned, files } = table
  const newest = files.reduce((latest, file) => Math.max(latest, file.mtimeMs), 0)
  const set = partitioned || table.mustAgree
  const csv = optionsOf(source, (files.length === 1 ? files[0]?.relative : undefined) ?? [...path, name].join('/'))
  return emit({
    kind: 'table',
    path,
    name,
    assetType: 'FILE',
    locator: {
      kind: 'files',
      root: location.tree.root,
      ...(isStoreSource(source) ? { store: storeOf(context) } : {}),
      pattern,
      format,
      partitioned,
      ...(partitioned ? { partitions: [...partitionValues(files).keys()] } : {}),
      ...(table.mustAgree && haveDates(files) ? { datedNames: true } : {}),
      ...(csv === undefined ? {} : { csv: stated(csv) }),
      columns: reading.columns.map(({ name, dataType }) => ({ name, dataType })),
      fingerprint: fingerprintOf({
        files: hashOfFiles(files),
        ...(set ? { set } : {}),
        ...(set && source.include !== undefined && source.include.length > 0 ? { include: source.include } : {}),
        ...(set && source.exclude !== undefined ? { exclude: source.exclude } : {}),
        ...reading.learnt,
      }),
    },
    columns: reading.columns,
    rowCount: reading.rowCount,
    sizeBytes: files.reduce((sum, file) => sum + file.size, 0),
    lastChangedAt: newest === 0 ? null : new Date(newest).toISOString(),
    fileCount: files.length,
    warnings: reading.warnings,
    ...(reading.notes !== undefined && reading.notes.length > 0 ? { notes: reading.notes } : {}),
  })
}

/** Whether the files of a glob have the same columns in the same order. False if a file cannot be read. */
async function haveSameColumns(
  context: MountContext,
  location: SourceLocation,
  source: FileSource,
  table: TableFiles,
): Promise<boolean> {
  let expected: string | null = null
  for (const file of table.files) {
    const removeCopies = context.copies.since()
    try {
      const one = { ...table, files: [file] }
      const { columns } = await readFiles(context, setOf(location, source, one), null)
      const names = JSON.stringify(columns.map((column) => column.name))
      if (expected !== null && names !== expected) return false
      expected = names
    } catch (error) {
      context.signal.throwIfAborted()
      if (hasBrokenDown(error)) throw error
      return false
    } finally {
      await removeCopies()
    }
  }
  return true
}

/**
 * Like `haveSameColumns`. If the crawl continues after one of these files, the previous child read it as a table of its
 * own, so the columns of the files differ.
 */
async function isOneTable(
  context: MountContext,
  location: SourceLocation,
  source: FileSource,
  table: TableFiles,
): Promise<boolean> {
  const { crawl } = context
  if (crawl.isSkipping()) return !table.files.some((file) => crawl.endedAt(file.relative))
  await crawl.shouldOpen(setOf(location, source, table).name)
  return haveSameColumns(context, location, source, table)
}

/**
 * Crawls a source of files: folders, then their tables, in the order of names. A file that cannot be read is reported, and
 * the crawl continues. Throws `unprocessable` if the source itself cannot be opened.
 */
export async function discoverFiles(context: MountContext, source: FileSource, emit: Emit): Promise<void> {
  const location = await openLocation(context, source)
  let { tables } = await probeLocation(context, source, location)
  emit({ kind: 'found', tables })
  const announced = new Set<string>()
  const announce = (path: readonly string[]) => {
    path.forEach((name, depth) => {
      const parents = path.slice(0, depth)
      const key = path.slice(0, depth + 1).join('/')
      if (announced.has(key)) return
      announced.add(key)
      emit({ kind: 'container', path: parents, name, assetType: 'DIRECTORY' })
    })
  }
  const skipped = collectSkipped()
  const readTable = async (table: TableFiles) => {
    const set = setOf(location, source, table)
    if (!(await context.crawl.shouldOpen(set.name))) return
    const removeCopies = context.copies.since()
    try {
      const reading = await readFiles(context, set, null)
      announce(table.path)
      await emitTable(context, location, source, table, reading, emit)
    } catch (error) {
      context.signal.throwIfAborted()
      emit(failedAt(set.name, error))
    } finally {
      await removeCopies()
    }
  }
  for await (const found of tablesOf(location, foundIn(location, selectionOf(source), context))) {
    context.signal.throwIfAborted()
    if (found.kind === 'failed') {
      if (!context.crawl.isSkipping()) emit(found)
    } else if (found.kind === 'skipped') skipped.add(found)
    else if (found.kind === 'database') {
      const folders = folderParts(dirname(found.file.relative))
      await discoverDatabase(context, location.tree.root, found.file, (one) => {
        if (one.kind === 'container') announce(folders)
        return emit(one)
      })
    } else if (!found.table.mustAgree || (await isOneTable(context, location, source, found.table)))
      await readTable(found.table)
    else {
      tables += found.table.files.length - 1
      emit({ kind: 'found', tables })
      for (const file of found.table.files) await readTable(singleTable(file))
    }
  }
  const left = skipped.all()
  if (left.total > 0) emit({ kind: 'skipped', ...left })
}
