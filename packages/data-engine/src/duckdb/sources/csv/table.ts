import type { CsvOptions } from '../../../dataset.ts'
import type { MountContext } from '../../mount.ts'
import { refused, unreadable } from '../failures.ts'
import { literalPath } from '../files/glob.ts'
import { columnsOf, type FileReading, type FileSet, type Known, partitionColumns } from '../files/reading.ts'
import type { FoundFile } from '../files/tree.ts'
import { typesOfText } from '../types.ts'
import { collectWarnings, listed, noWarnings } from '../warnings.ts'
import { openText, windows1252At } from './bytes.ts'
import { checkCsv } from './check.ts'
import { formsToState, statedForms, type TextForms, withForms, withPlainNumbers } from './forms.ts'
import { normaliseCsv } from './normalise.ts'
import { type CsvGroup, type CsvReading, csvRelation } from './relation.ts'
import { type CsvShape, shapeOf } from './shape.ts'

interface ReadyFile {
  name: string
  path: string
  shape: CsvShape
  longest: number
  rows: number
  warnings: FileReading['warnings']
  renamed: readonly string[]
  normalised: boolean
}

async function openedAs(context: MountContext, set: FileSet, file: FoundFile, encoding: string | undefined) {
  const text = await openText(file.path, encoding, file.relative)
  const { renamed, ...shape } = await shapeOf(text, set.format === 'TSV', set.csv, file.relative)
  return { text, shape, renamed, check: await checkCsv(text, shape, file.relative, context.signal) }
}

/**
 * Makes one file readable by the engine: the file itself if it is clean, otherwise a strict copy in the run's folder.
 */
async function readyFile(
  context: MountContext,
  set: FileSet,
  file: FoundFile,
  copyAlways: boolean,
): Promise<ReadyFile> {
  const { signal } = context
  const asItClaims = await openedAs(context, set, file, set.csv.encoding)
  const line = asItClaims.text.isGuess && !asItClaims.check.isUtf8 ? await windows1252At(asItClaims.text) : null
  const { text, shape, renamed, check } =
    line === null ? asItClaims : await openedAs(context, set, file, 'windows-1252')
  if (check.clean && !copyAlways) {
    return {
      name: file.relative,
      path: file.path,
      shape,
      longest: check.longest,
      rows: check.rows,
      warnings: noWarnings,
      renamed,
      normalised: false,
    }
  }
  const write = (chunks: AsyncIterable<Uint8Array>) => context.copies.write(file, '.csv', chunks, signal)
  const written = await normaliseCsv(text, shape, write, check.literalQuotes, copyAlways, signal)
  const warnings = collectWarnings()
  if (line !== null) warnings.add({ line, message: 'the file is not UTF-8 and was read as windows-1252' })
  warnings.addAll(written.warnings)
  return { name: file.relative, shape, ...written, warnings: warnings.all(), renamed, normalised: true }
}

function sameShape(a: CsvShape, b: CsvShape): boolean {
  return (
    a.delimiter === b.delimiter &&
    a.quote === b.quote &&
    a.header === b.header &&
    a.names.length === b.names.length &&
    a.names.every((name, index) => name === b.names[index])
  )
}

function groupsOf(files: readonly ReadyFile[]): CsvGroup[] {
  const groups: (CsvGroup & { shape: CsvShape; packing: string })[] = []
  for (const file of files) {
    const packing = /\.(gz|zst)$/i.exec(file.path)?.[0]?.toLowerCase() ?? ''
    const group = groups.find((one) => one.packing === packing && sameShape(one.shape, file.shape))
    const path = literalPath(file.path)
    if (group === undefined) groups.push({ files: [path], shape: file.shape, longest: file.longest, packing })
    else {
      group.files.push(path)
      group.longest = Math.max(group.longest, file.longest)
    }
  }
  return groups
}

async function prepared(context: MountContext, set: FileSet, copyAlways: boolean): Promise<ReadyFile[]> {
  const files: ReadyFile[] = []
  for (const file of set.files) {
    if (file.size === 0 && set.files.length > 1) continue
    try {
      files.push(await readyFile(context, set, file, copyAlways))
    } catch (error) {
      context.signal.throwIfAborted()
      throw unreadable(error, file.relative)
    }
  }
  if (files.length === 0) throw refused(set.name, 'is empty: none of its files has a header or a row')
  return files
}

function notesOf(set: FileSet, files: readonly ReadyFile[]): string[] {
  const renamed = new Set(files.flatMap((file) => file.renamed))
  const empty = set.files.length === 1 ? [] : set.files.filter(({ size }) => size === 0)
  return [
    ...(renamed.size === 0 ? [] : [`Blank or repeated column names were changed: ${listed([...renamed])}.`]),
    ...(empty.length === 0 ? [] : [`Empty files were skipped: ${listed(empty.map(({ relative }) => relative))}.`]),
  ]
}

/**
 * SQL that reads the groups with their types. Columns with a stated format are first read as text and then converted.
 */
function typedRelation(
  reading: CsvReading,
  types: ReadonlyMap<string, string>,
  forms: TextForms,
  options: CsvOptions,
): string {
  const native = new Map([...types].filter(([name]) => forms[name] === undefined))
  return withForms(csvRelation(reading, native), types, forms, options)
}

async function inferred(
  context: MountContext,
  set: FileSet,
  copyAlways: boolean,
  known: Known | null,
): Promise<FileReading> {
  const { connection } = context
  const files = await prepared(context, set, copyAlways)
  const partitions = await partitionColumns(connection, set, known)
  const reading: CsvReading = { groups: groupsOf(files), nullValues: set.csv.nullValues ?? [], partitions }
  const keys = new Set(partitions.map(({ name }) => name))
  const names = new Set(reading.groups.flatMap((group) => group.shape.names))
  const text = [...names].filter((name) => !keys.has(name))
  const expected = files.reduce((sum, file) => sum + file.rows, 0)
  const types = known === null ? null : new Map(known.columns.map(({ name, dataType }) => [name, dataType]))
  let found = types
  let forms: TextForms = known?.learnt.forms ?? {}
  const notes = notesOf(set, files)
  if (found === null) {
    const result = await typesOfText(
      connection,
      withPlainNumbers(csvRelation(reading, new Map()), text, set.csv),
      new Map(text.map((name) => [name, 'all'])),
    )
    if (result.rows !== expected) throw new Error(`the engine counted ${result.rows} rows, the scanner ${expected}`)
    const stated = await statedForms(connection, csvRelation(reading, new Map()), result.types, set.csv)
    found = stated.types
    forms = stated.forms
    notes.push(...(await formsToState(connection, csvRelation(reading, new Map()), found, set.csv)))
  }
  const relation = typedRelation(reading, found, forms, set.csv)
  const warnings = collectWarnings()
  for (const file of files) warnings.addAll(file.warnings, set.files.length === 1 ? undefined : file.name)
  const [only] = reading.groups
  const plain = files.every((file) => !file.normalised) && reading.groups.length === 1 && only !== undefined
  return {
    relation,
    columns: await columnsOf(connection, relation),
    rowCount: expected,
    warnings: warnings.all(),
    notes,
    paths: files.map((file) => file.path),
    learnt: {
      ...(plain ? { csv: { ...only.shape, longest: only.longest } } : {}),
      ...(copyAlways ? { copy: true } : {}),
      ...(Object.keys(forms).length > 0 ? { forms } : {}),
    },
  }
}

/**
 * Reads CSV files as one table: types are inferred from all rows of every file, and every line is a row. For unchanged
 * clean files, the result of the crawl is reused. Memory does not grow with the files.
 */
export async function readCsv(context: MountContext, set: FileSet, known: Known | null): Promise<FileReading> {
  const shape = known?.learnt.csv
  if (known !== null && shape !== undefined) {
    const partitions = await partitionColumns(context.connection, set, known)
    const files = set.files.filter((file) => file.size > 0).map((file) => file.path)
    const group = { files: files.map(literalPath), shape, longest: shape.longest }
    const types = new Map(known.columns.map(({ name, dataType }) => [name, dataType]))
    const reading = { groups: [group], nullValues: set.csv.nullValues ?? [], partitions }
    const { forms = {} } = known.learnt
    const relation = typedRelation(reading, types, forms, set.csv)
    const columns = await columnsOf(context.connection, relation)
    return { relation, columns, rowCount: null, warnings: noWarnings, paths: files, learnt: { csv: shape, forms } }
  }
  const removeCopies = context.copies.since()
  try {
    return await inferred(context, set, known?.learnt.copy === true, known)
  } catch (error) {
    context.signal.throwIfAborted()
    // Files that the scanner accepts but the engine does not are read through a strict copy.
    if (error instanceof Error && error.name === 'AssayError') throw error
    await removeCopies()
    return await inferred(context, set, true, known)
  }
}
