import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, it } from 'vitest'
import { formatType } from '../types/format-type.ts'
import { namesOfDuckdb } from '../types/names.fixture.ts'
import { parseType } from '../types/parse-type.ts'

describe('names of types', () => {
  it('given each name that DuckDB knows, then DuckDB and parseType agree on its type', async () => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const isNamed = (type: string) => `(SELECT column_type FROM (DESCRIBE SELECT CAST(NULL AS ${type}) AS v))`
    const checks = namesOfDuckdb.flatMap(([name]) => [isNamed(name), isNamed(formatType(parseType(name)))])
    const row = (await connection.runAndReadAll(`SELECT ${checks.join(', ')}`)).getRows()[0] ?? []
    const found = namesOfDuckdb.map(([name], index) => [name, row[2 * index], row[2 * index + 1]])
    expect(found).toEqual(namesOfDuckdb.map(([name, canonical]) => [name, canonical, canonical]))
    connection.closeSync()
  })

  it("given the type names in DuckDB's catalog, then parseType knows all but the listed ones", async () => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const reader = await connection.runAndReadAll('SELECT DISTINCT upper(type_name) FROM duckdb_types() ORDER BY 1')
    const unknown = reader.getRows().flatMap(([name]) => (parseType(String(name)).kind === 'other' ? [name] : []))
    expect(unknown).toEqual([
      'BIGNUM',
      'BIT',
      'BITSTRING',
      'GEOMETRY',
      'INTERVAL',
      'NULL',
      'TIME WITH TIME ZONE',
      'TIMETZ',
      'TIME_NS',
      'TYPE',
      'UNION',
      'VARIANT',
      'VARINT',
    ])
    connection.closeSync()
  })
})
