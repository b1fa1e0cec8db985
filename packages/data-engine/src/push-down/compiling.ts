import type { Clock } from '@assay/service-kit'
import { isAssayError, messageOf } from '@assay/service-kit/errors'
import type { Database } from './database.ts'
import type { Parse } from './selects.ts'

/** The database and, for users' SQL, the clock and the parser. */
export interface Compiling {
  database: Database
  clock: Clock
  parse: Parse
}

/** The server's error about users' SQL, truncated before any values. */
export function sentenceFor({ name }: Pick<Database, 'name'>): (error: unknown) => string {
  return (error) => (isAssayError(error) ? messageOf(error) : `${name} Error: ${messageOf(error)}`)
}

const ofRuns = ['timeout', 'unavailable', 'unprocessable', 'too-large'] as const

/** Whether an error concerns the whole run, so that a smaller statement would not help. */
export const isRunError = (error: unknown) => ofRuns.some((code) => isAssayError(error, code))
