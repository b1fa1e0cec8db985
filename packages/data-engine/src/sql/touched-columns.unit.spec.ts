import { describe, expect, it } from 'vitest'
import { mayReadHidden } from './touched-columns.ts'

const table = { columns: ['id', 'amount', 'Ssn', 'from', 'person'], isHidden: (name: string) => name === 'Ssn' }
const ofExpression = (text: string) => mayReadHidden(text, table)
const ofSelect = (text: string) => mayReadHidden(text, { ...table, table: 'asset' })

describe('what SQL can read', () => {
  it.each([
    'amount > 0',
    '"Amount" * 2 BETWEEN 1 AND id',
    'CAST(amount AS DECIMAL(10, 2)) IS DISTINCT FROM 7',
    "person IN ('a', 'b''c') AND amount > DATE '2020-01-01' - INTERVAL '1' DAY",
    "CASE WHEN lower(trim(person)) = 'ssn' THEN true ELSE false END",
    'amount > ${limit}',
    'count(*) > 3',
  ])('given %s, then it reads no hidden column', (text) => expect(ofExpression(text)).toBe(false))

  it.each([
    'ssn = 1',
    '"SSN" = 1',
    'SSN::INTEGER BETWEEN 0 AND 5',
    'error(ssn)::BOOLEAN',
    '/* */(ssn)',
    'asset.Ssn > 1',
    'asset IS NULL',
    'person.ssn = 1',
    'COLUMNS(*) > 0',
    '"columns"(c -> true) > 0',
    'hash(*) > 0',
    'struct_pack(asset.*) IS NULL',
    '#1 > 0',
    '(SELECT 1 FROM asset) > 0',
    '(FROM asset) > 0',
    'exists (TABLE asset)',
    'list_transform([1], x -> x)[1] = 1',
    'ssn\u{1f642} > 1',
    'U&"s\\0073n" = 1',
    "amount > 'unclosed",
    // The engine reads a string after an escape string as its continuation, with escapes: its end is elsewhere.
    "person = E'a'\n'\\' ' or ssn = '1' or person = E'\\''",
    "person = E'a' -- c\n'\\' ' or ssn = '1' or person = E'\\''",
    "length(E'a'\r'\\' ') * 0 + ssn::bigint + length(E'\\'')*0",
    "person = 'a'\n'b'",
    'amount > 1 -- comment',
    'person = $$a$$',
    "person = U&'a'",
    "person = N'a'",
    'amount\u00a0> 1',
    'elsewhere > 1',
  ])('given %s, then it may', (text) => expect(ofExpression(text)).toBe(true))

  it('given a template, then its column parameters count and its values do not', () => {
    const of = (column: string) => mayReadHidden('${c} > ${limit}', { ...table, columnVariables: { c: column } })
    expect([of('amount'), of('ssn'), of('person.ssn')]).toEqual([false, true, true])
  })

  it.each([
    'SELECT sum(amount) FROM asset',
    'SELECT avg(amount) AS mean FROM "asset" WHERE id > 3 GROUP BY id ORDER BY 1',
    'SELECT count(*) FROM asset WHERE amount > (SELECT avg(amount) FROM asset)',
  ])('given %s, then it reads no hidden column', (text) => expect(ofSelect(text)).toBe(false))

  it.each([
    'SELECT max(ssn) FROM asset',
    'SELECT * FROM asset',
    'FROM asset',
    'SELECT a FROM (FROM asset) AS t(a, b)',
    'SELECT max(id) FROM asset AS t(x, y, id)',
    'SELECT max(id) FROM asset t(x, y, id)',
    'SELECT max(id) FROM asset, other',
    'SELECT max(amount) FROM asset JOIN "people.csv" USING (id)',
    'WITH t AS (SELECT id FROM asset) SELECT max(id) FROM t',
    'SELECT id FROM asset UNION ALL BY NAME SELECT 1',
    'SELECT max(asset) FROM asset',
    'SELECT max(COLUMNS(id)) FROM asset',
    'SELECT max(#3) FROM asset',
  ])('given %s, then it may', (text) => expect(ofSelect(text)).toBe(true))

  it('given nothing hidden, then nothing is looked at', () => {
    expect(mayReadHidden('ssn', { columns: ['ssn'], isHidden: () => false })).toBe(false)
  })
})
