import { fileDateColumn } from '../../../periods.ts'
import { quoteName, textLiteral } from '../../../sql/quote.ts'
import type { MountContext } from '../../mount.ts'
import { dateInName } from './dated-names.ts'
import type { FileReading, FileSet } from './reading.ts'
import { readFiles } from './table.ts'
import type { FoundFile } from './tree.ts'

/**
 * Gives each row the date in the name of its file. Reads only files with dates from `from` until before `to`, and with
 * `asksOlder` those before, all with the same date. The types are those of all files.
 */
export async function withFileDates(
  context: MountContext,
  set: FileSet,
  read: FileReading,
  { from, to, asksOlder }: NonNullable<MountContext['fileDates']>,
): Promise<FileReading> {
  const byDate = new Map<string, FoundFile[]>()
  for (const file of set.files) {
    const named = dateInName(file.relative)
    if (named === undefined || named >= to || file.size === 0 || (named < from && !asksOlder)) continue
    const date = named < from ? longAgo : named
    const same = byDate.get(date)
    if (same === undefined) byDate.set(date, [file])
    else same.push(file)
  }
  const known = {
    columns: read.columns.map(({ name, dataType }) => ({ name, dataType })),
    learnt: { files: '', ...read.learnt },
  }
  const relations: string[] = []
  const paths = new Set(read.paths)
  for (const [date, files] of byDate) {
    context.signal.throwIfAborted()
    const one = await readFiles(context, { ...set, files }, known)
    for (const path of one.paths) paths.add(path)
    relations.push(dated(one.relation, `DATE ${textLiteral(date)}`))
  }
  if (relations.length === 0) relations.push(dated(read.relation, 'CAST(NULL AS DATE)'))
  return {
    ...read,
    relation: `(${relations.join(' UNION ALL BY NAME ')})`,
    columns: [...read.columns, { name: fileDateColumn, dataType: 'DATE', nullable: true, children: [] }],
    paths: [...paths],
  }
}

const longAgo = '0001-01-01'
const dated = (relation: string, date: string) => `SELECT *, ${date} AS ${quoteName(fileDateColumn)} FROM ${relation}`
