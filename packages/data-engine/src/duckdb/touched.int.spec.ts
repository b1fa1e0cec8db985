import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SqlText } from '../plan.ts'
import type { Form } from '../sql/tree/guard.ts'
import { mayReadHidden, otherTables, type Touched, touchedTogether } from '../sql/tree/touched.ts'
import { planParameters } from '../sql/written.ts'
import { anyTable, parsed } from './parse.ts'

let connection: DuckDBConnection
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect()
})
afterAll(() => connection.closeSync())

async function touched(form: Form, sql: string, variables: SqlText['variables'] = {}): Promise<Touched | undefined> {
  const check = { given: { sql, variables }, reach: anyTable(form) }
  const [outcome] = await parsed(connection, [check], planParameters('2026-01-02T03:04:05.000Z'))
  return outcome === undefined || 'refused' in outcome ? undefined : outcome.touched
}

const columns = ['id', 'amount', 'Ssn', 'from', 'person', 'payload', 'größe']
const isHidden = (name: string) => name === 'Ssn' || name === 'größe'
const reads = async (form: Form, sql: string, variables?: SqlText['variables']) =>
  mayReadHidden(await touched(form, sql, variables), { columns, isHidden })

describe("the columns and tables that users' SQL reads", () => {
  it('given a text, then its columns, fields and tables are found', async () => {
    const variables = { c: { column: 'ssn', fields: ['a'] }, v: 1 }
    expect(await touched('expression', 'SSN = ${c} AND asset.address."City" > ${v}', variables)).toEqual({
      columns: ['ssn', 'address'],
      fields: ['asset', 'city'],
      allColumns: false,
      tables: [],
    })
    const select = 'WITH x AS (SELECT a FROM asset) SELECT max(t.b) FROM x, "Other Table" t'
    const found = await touched('select', select)
    expect(found).toEqual({ columns: ['a', 'b'], fields: ['t'], allColumns: false, tables: ['asset', 'Other Table'] })
    expect(found && otherTables(found, ['other table', 'nowhere'])).toEqual(['Other Table', 'other table'])
    expect(found && touchedTogether([found, undefined])).toBeUndefined()
  })

  it.each([
    'amount > 0',
    '"Amount" * 2 BETWEEN 1 AND id',
    'asset.amount > 0 AND asset."from" = 1',
    'CAST(amount AS DECIMAL(10, 2)) IS DISTINCT FROM 7',
    "person IN ('a', 'b''c') AND amount > DATE '2020-01-01' - INTERVAL '1' DAY",
    "CASE WHEN lower(trim(person)) = 'ssn' THEN true ELSE false END",
    'amount > ${limit}',
    'count(*) > 3',
    'person.city = 1 AND amount > 1 -- ssn',
    "amount /* ssn */ > 1 AND person = $$ssn$$ AND payload = E'\\' ssn'",
    'list_transform([1], lambda ssn: ssn + amount)[1] = 1',
    '[x + id FOR x IN [1] IF x > 1][1] = 1',
    'amount > (SELECT 1)',
  ])('given %s, then it reads no hidden column', async (sql) =>
    expect(await reads('expression', sql, { limit: 1 })).toBe(false),
  )

  it.each([
    'ssn = 1',
    '"SSN" = 1',
    'asset.ssn = 1',
    'größe = 1',
    'SSN::INTEGER BETWEEN 0 AND 5',
    'error(ssn)::BOOLEAN',
    '/* */(ssn)',
    'asset.Ssn > 1',
    'asset IS NULL',
    "struct_extract(asset, 'ssn') = 1",
    "asset['ssn'] = 1",
    '1 IN asset',
    'assay_rows IS NULL',
    'assay_rows.id = 1',
    'main.asset.id = 1',
    'person.ssn = 1',
    'COLUMNS(*) > 0',
    '"columns"(c -> true) > 0',
    'hash(* EXCLUDE (id)) > 0',
    'asset.* IS NULL',
    "concat(*COLUMNS(*)) = ''",
    '#1 > 0',
    'rowid > 0',
    '(SELECT 1 FROM asset) > 0',
    '(FROM asset) > 0',
    'exists (TABLE asset)',
    'list_transform([1], x -> x)[1] = 1',
    'payload -> ssn = 1',
    "(to_json(ssn)::json -> '$') = '1'",
    "(ssn.to_json() -> '$') = '1'",
    "(ssn.row() -> '$') = '1'",
    "(row(ssn, id) -> '$') = '1'",
    "((SELECT to_json(ssn)) -> '$') = '1'",
    "((CASE WHEN ssn > '3' THEN json '1' END) -> '$') IS NULL",
    "((ssn BETWEEN '1' AND '2')::json -> '$')::varchar = 'true'",
    "((ssn COLLATE nocase) -> '$') = '1'",
    "list_transform([1], lambda x: (to_json(ssn)::json -> '$'))[1] = '1'",
    '(ssn, id) -> 1',
    'ssn -> ssn = 1',
    'list_transform([1], lambda SSN: ssn)[1] = 1',
    // The engine reads the column if the name gets an alias, although the lambda defines it.
    "list_transform([1], lambda ssn: {'k': ssn})[1].k > '1'",
    'list_transform([1], lambda id, ssn: struct_insert({a: 1}, b := ssn))[1].b = 1',
    "[ssn FOR ssn IN [1] IF id > 1][1]::VARCHAR > '1'",
    'list_transform([1], lambda asset: asset.ssn)[1] = 1',
    'list_transform([1], lambda ssn: ssn)[1] = ssn',
    'ssn\u{1f642} > 1',
    'U&"s\\0073n" = 1',
    "amount > 'unclosed",
    // The engine joins the string after an escape string to it and reads escapes in both, so it ends later.
    "person = E'a'\n'\\' ' or ssn = '1' or person = E'\\''",
    "length(E'a'\r'\\' ') * 0 + ssn::bigint + length(E'\\'')*0",
    "person = U&'a'",
    'elsewhere > 1',
    '${unknown} > 1',
    'id, ssn',
    'id) FROM asset; SELECT (ssn',
    'random() > 1',
    '',
  ])('given %s, then it may read a hidden column', async (sql) => expect(await reads('expression', sql)).toBe(true))

  it('given a template, then its column parameters count and its values do not', async () => {
    const of = (column: string, fields: string[] = []) =>
      reads('expression', '${c} > ${limit}', { c: { column, fields }, limit: { text: 'ssn' } })
    expect(await Promise.all([of('amount'), of('person', ['city']), of('ssn'), of('gone')])).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  it.each([
    'SELECT sum(amount) FROM asset',
    'SELECT avg(amount) AS mean FROM "asset" WHERE id > 3 GROUP BY id ORDER BY 1',
    'SELECT count(*) FROM ASSET t WHERE t.amount > (SELECT avg(amount) FROM asset)',
    'WITH t AS (SELECT id FROM asset) SELECT max(id) FROM t',
  ])('given %s, then it reads no hidden column', async (sql) => expect(await reads('select', sql)).toBe(false))

  it.each([
    'SELECT max(ssn) FROM asset',
    'SELECT max(t.ssn) FROM asset t',
    'SELECT * FROM asset',
    'SELECT t.* FROM asset t',
    'FROM asset',
    'SELECT a FROM (FROM asset) AS t(a, b)',
    'SELECT max(id) FROM asset AS t(x, y, id)',
    'SELECT max(id) FROM asset t(x, y, id)',
    'SELECT max(amount) FROM asset JOIN "people.csv" USING (ssn)',
    'SELECT max(amount) FROM asset NATURAL JOIN "people.csv"',
    'SELECT max(elsewhere) FROM asset, "people.csv"',
    'WITH t AS (SELECT ssn AS id FROM asset) SELECT max(id) FROM t',
    'WITH t(id) AS (FROM asset) SELECT max(id) FROM t',
    'SELECT max(asset) FROM asset',
    'SELECT max(t) FROM asset t',
    'SELECT max(COLUMNS(id)) FROM asset',
    "SELECT max(COLUMNS('s')) FROM asset",
    'SELECT max(#3) FROM asset',
    'SELECT count(*) FROM (PIVOT asset ON id)',
    'SELECT count(*) FROM (DESCRIBE asset)',
    'SELECT 1; SELECT max(ssn) FROM asset',
  ])('given %s, then it may read a hidden column', async (sql) => expect(await reads('select', sql)).toBe(true))

  it('given no hidden columns, then no text may read one', async () => {
    const nothing = { columns: ['ssn'], isHidden: () => false }
    expect(mayReadHidden(undefined, nothing)).toBe(false)
  })

  it('given no known columns, then any name may be a hidden column', async () => {
    const unknown = { columns: [], isHidden: () => true }
    const found = await Promise.all([touched('expression', '1 = 1'), touched('expression', 'a = 1')])
    expect(found.map((one) => mayReadHidden(one, unknown))).toEqual([false, true])
  })
})
