import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { RowFormat } from '../../plan.ts'
import type { ColumnInfo, RewriteRequest } from '../../port.ts'
import { raw } from '../../sql/fragment.ts'
import { copyCsv, copyParquet, idsColumn, readKept } from '../../sql/kept-rows.ts'
import { quoteName, textLiteral } from '../../sql/quote.ts'
import { describe } from '../sources/sql.ts'
import { connect, lockDown, readRow } from './database.ts'
import { writeJsonLines } from './json-lines.ts'
import type { RunContext } from './session.ts'

const nested = /\]$|^(STRUCT|MAP|LIST|ARRAY|JSON|UNION|VARIANT)\b/

/** Types that the reader guesses from how a text is written. */
const guessed = /"(?:[^"]|"")*"|\b(?:DATE|TIMESTAMP(?:_\w+)?|TIME|UUID)(?: WITH TIME ZONE)?(?=[,)[]|$)/g

/** JSON lines, in which a text is a text: the reader would write `12:30` as `12:30:00`. */
async function jsonLines(connection: DuckDBConnection, file: string): Promise<string> {
  const read = `read_json(${textLiteral(file)}, format = 'newline_delimited', records = true`
  const columns = await describe(connection, `${read}, sample_size = -1)`)
  const types = columns.map(({ name, dataType }) => {
    const type = dataType.replaceAll(guessed, (part) => (part.startsWith('"') ? part : 'VARCHAR'))
    return `${textLiteral(name)}: ${textLiteral(type)}`
  })
  return `${read}, columns = {${types.join(', ')}})`
}

async function relationOf(connection: DuckDBConnection, file: string, format: RowFormat): Promise<string> {
  switch (format) {
    case 'PARQUET':
      return readKept(file)
    case 'CSV':
      return `read_csv(${textLiteral(file)}, header = true, all_varchar = true, allow_quoted_nulls = false, delim = ',', quote = '"', escape = '"')`
    case 'JSON':
      return jsonLines(connection, file)
    default:
      return format satisfies never
  }
}

/** A header of CSV that a spreadsheet would take for a formula stands behind a quote. */
const harmless = /^'(?=[=+\-@\t\r])/

function isHidden({ name, dataType }: ColumnInfo, mask: RewriteRequest['mask']): boolean {
  if (name === idsColumn || mask === null) return false
  if (mask.columns === null || mask.columns.includes(name) || mask.columns.includes(name.replace(harmless, '')))
    return true
  return mask.nested && nested.test(dataType)
}

/** Writes kept rows again in another form, with a mask over some columns. Only the two folders can be reached. */
export async function rewrite(context: RunContext, request: RewriteRequest, outputFile: string): Promise<null> {
  const { file, from, to, mask } = request
  const connection = await connect(context.instance, context.limits, context.tempFolder)
  context.onConnection(connection)
  await lockDown(connection, [path.dirname(file), path.dirname(outputFile), context.tempFolder], [])
  const relation = await relationOf(connection, file, from)
  const columns = await describe(connection, relation)
  const selected = columns.map((column) => {
    const name = quoteName(column.name)
    return isHidden(column, mask) ? `${textLiteral(request.maskText)} AS ${name}` : name
  })
  const query = raw(`SELECT ${selected.join(', ')} FROM ${relation}`)
  if (to === 'PARQUET') {
    await readRow(connection, copyParquet(query, outputFile))
  } else if (to === 'JSON') {
    await writeJsonLines(connection, query.text, outputFile)
  } else if (from === 'CSV') {
    // Its cells have been made harmless when they were written first.
    await readRow(connection, raw(`COPY (${query.text}) TO ${textLiteral(outputFile)} (FORMAT csv, HEADER true)`))
  } else {
    const staged = path.join(context.tempFolder, 'rewritten.parquet')
    await readRow(connection, copyParquet(query, staged))
    await readRow(connection, copyCsv(staged, await describe(connection, readKept(staged)), outputFile))
    await rm(staged)
  }
  return null
}
