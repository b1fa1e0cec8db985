import type { DatabaseSource } from '../dataset.ts'
import { plainSelect as ofMysql } from '../mysql/written.ts'
import { plainSelect as ofPostgres } from '../postgres/written.ts'
import { plainSelect as ofTrino } from '../trino/written.ts'
import type { Database } from './database.ts'

const plainSelects: ReadonlyMap<string, Database['plainSelect']> = new Map<
  DatabaseSource['sourceType'],
  Database['plainSelect']
>([
  ['POSTGRESQL', ofPostgres],
  ['MYSQL', ofMysql],
  ['MARIADB', ofMysql],
  ['TRINO', ofTrino],
])

/**
 * A SELECT in the dialect of a source, as all parsers read it; `undefined` for sources that DuckDB reads. Throws `invalid`
 * for forms that only this database has.
 */
export function foreignSelect(sourceType: string, sql: string): string | undefined {
  return plainSelects.get(sourceType)?.({ sql, variables: {} }).sql
}
