import { dirname } from 'node:path'
import { messageOf } from '@assay/service-kit/errors'
import type { Source } from '../../../dataset.ts'
import type { MountContext } from '../../mount.ts'
import type { Emit } from '../emit.ts'
import { refused, unreadable } from '../failures.ts'
import { discoverDatabase, probeDatabase } from './database.ts'
import { fingerprintOf, hashOfFiles } from './fingerprint.ts'
import { foundIn, type Place, placeOf } from './place.ts'
import type { FileReading, FileSet } from './reading.ts'
import { readFiles } from './table.ts'
import { folderParts, singleTable, type TableFiles, tablesOf } from './tables.ts'

type FileSource = Extract<Source, { sourceType: 'FILE' }>

function selectionOf(source: FileSource) {
  return { include: source.include, exclude: source.exclude }
}

/** How many tables a FILE source has: by the names of its files alone, and by what its databases list. Errors: `unprocessable` where it cannot be opened. */
export async function probeFiles(context: MountContext, source: FileSource): Promise<{ tables: number }> {
  const place = await placeOf(source.path)
  let tables = 0
  for await (const found of tablesOf(place, foundIn(place, selectionOf(source), context.signal))) {
    if (found.kind === 'table') tables += 1
    else if (found.kind === 'database') tables += await probeDatabase(context, place.root, found.file)
    else if (found.path === '.') throw refused(place.name, found.message.replace(/^\. |\.$/g, ''))
  }
  return { tables }
}

function setOf(place: Place, source: FileSource, table: TableFiles): FileSet {
  const { name, format, partitioned, files } = table
  const only = files.length === 1 ? files[0]?.relative : undefined
  return {
    root: place.root,
    name: only ?? [...table.path, name].join('/'),
    format,
    partitioned,
    csv: source.csv ?? {},
    files,
  }
}

function emitTable(place: Place, source: FileSource, table: TableFiles, reading: FileReading, emit: Emit): unknown {
  const { path, name, pattern, format, partitioned, files } = table
  const newest = files.reduce((latest, file) => Math.max(latest, file.mtimeMs), 0)
  const set = partitioned || table.mustAgree
  return emit({
    kind: 'table',
    path,
    name,
    assetType: 'FILE',
    locator: {
      kind: 'files',
      root: place.root,
      pattern,
      format,
      partitioned,
      ...(source.csv === undefined ? {} : { csv: source.csv }),
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
  })
}

/** Whether the files of a glob have the same columns in the same order; a file that cannot be read agrees with none. */
async function agree(context: MountContext, place: Place, source: FileSource, table: TableFiles): Promise<boolean> {
  let expected: string | null = null
  for (const file of table.files) {
    const removeCopies = context.copies.since()
    try {
      const one = { ...table, files: [file] }
      const { columns } = await readFiles(context, setOf(place, source, one), null)
      const names = JSON.stringify(columns.map((column) => column.name))
      if (expected !== null && names !== expected) return false
      expected = names
    } catch {
      context.signal.throwIfAborted()
      return false
    } finally {
      await removeCopies()
    }
  }
  return true
}

/**
 * Crawls a FILE source: folders, then the tables in them, in the order of their names. One file that cannot be read is
 * reported and the crawl goes on. Errors: `unprocessable` where the source itself cannot be opened.
 */
export async function discoverFiles(context: MountContext, source: FileSource, emit: Emit): Promise<void> {
  const place = await placeOf(source.path)
  let { tables } = await probeFiles(context, source)
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
  const look = async (table: TableFiles) => {
    const set = setOf(place, source, table)
    const removeCopies = context.copies.since()
    try {
      const reading = await readFiles(context, set, null)
      announce(table.path)
      await emitTable(place, source, table, reading, emit)
    } catch (error) {
      context.signal.throwIfAborted()
      emit({ kind: 'failed', path: set.name, message: messageOf(unreadable(error, set.name, place.root)) })
    } finally {
      await removeCopies()
    }
  }
  for await (const found of tablesOf(place, foundIn(place, selectionOf(source), context.signal))) {
    context.signal.throwIfAborted()
    if (found.kind === 'failed') emit(found)
    else if (found.kind === 'database') {
      const folders = folderParts(dirname(found.file.relative))
      await discoverDatabase(context, place.root, found.file, (one) => {
        if (one.kind === 'container') announce(folders)
        return emit(one)
      })
    } else if (!found.table.mustAgree || (await agree(context, place, source, found.table))) await look(found.table)
    else {
      tables += found.table.files.length - 1
      emit({ kind: 'found', tables })
      for (const file of found.table.files) await look(singleTable(file))
    }
  }
}
