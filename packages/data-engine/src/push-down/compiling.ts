import type { Clock } from '@assay/service-kit'
import { isAssayError, messageOf } from '@assay/service-kit/errors'
import type { SqlText } from '../plan.ts'
import type { ColumnInfo } from '../port.ts'
import { missingColumn } from '../sql/missing-column.ts'
import type { Database } from './database.ts'
import type { Parse } from './selects.ts'

/** The database and, for users' SQL, the clock and the parser. */
export interface Compiling {
  database: Database
  clock: Clock
  parse: Parse
}

/** Users' SQL, and the columns that it may name. */
export interface AboutSql {
  texts: readonly SqlText[]
  columns: readonly Pick<ColumnInfo, 'name'>[]
}

/** The server's error about users' SQL, truncated before any values. */
export function sentenceFor(
  { name, missingColumn: missingIn }: Pick<Database, 'name' | 'missingColumn'>,
  { texts, columns }: AboutSql = { texts: [], columns: [] },
): (error: unknown) => string {
  return (error) => {
    if (isAssayError(error)) return messageOf(error)
    const written = missingIn(error)
    if (written === undefined) return `${name} Error: ${messageOf(error)}`
    const [sqls, names] = [texts.map(({ sql }) => sql), columns.map((column) => column.name)]
    return missingColumn(written, sqls, names)
  }
}

const ofRuns = ['timeout', 'unavailable', 'unprocessable', 'too-large'] as const

/** Whether an error concerns the whole run, so that a smaller statement would not help. */
export const isRunError = (error: unknown) => ofRuns.some((code) => isAssayError(error, code))
