import { describe, expect, it } from 'vitest'
import { planParameters } from '../sql/written.ts'
import { plainSelect, writtenExpression, writtenSelect } from './written.ts'

const variables = { x: '1260' }
const parameters = () => planParameters('2026-01-02T03:04:05.000Z')
const inExpression = (sql: string) => writtenExpression({ sql, variables }, parameters()).text
const inSelect = (sql: string) =>
  writtenSelect(plainSelect({ sql: `SELECT ${sql} AS a`, variables }), parameters()).text

describe("users' SQL for PostgreSQL", () => {
  it.each([
    "'a\\'",
    "'it''s'",
    "X'0aF'",
    "a::text || ' -- no comment'",
    'CAST(a AS numeric(10, 2))',
    'a::char(3)',
    'a::text[]',
    'a[1]',
    'a[1:2]',
    "date '2026-01-01' > a",
    "double precision '1.5' > a",
    "a AT TIME ZONE 'UTC' > b",
    "a NOT LIKE 'x%' ESCAPE '!' AND b BETWEEN 'a' AND 'b'",
    "CASE a WHEN 'x' THEN 'y' ELSE 'z' END",
    "position('x' in a)",
    "trim(both 'x' from a)",
    "split_part(a, 'now', 1)",
    "a = 'now'",
    'a > ${x} AND a LIKE ${x}',
    'größe > 0',
    'asset.user',
    'asset."größe €"',
    "a /* nested /* */ ' */ + 1",
    "a --'\n + 1",
  ])('given %s, then it is accepted', (sql) => {
    expect(inExpression(sql)).not.toBe('')
    expect(inSelect(sql)).not.toBe('')
  })

  it.each([
    // Two texts on two lines.
    "'a'\n'b'",
    "'a' -- comment\n 'b'",
    "'a' 'b'",
    "'a'\r${x}",
    "E'a'\n'\\' > '' OR current_user > ' AND '",
    // Texts with prefixes, and dollar quotes.
    "E'a'",
    "e'\\''",
    "N'a'",
    "U&'\\0061'",
    "B'01'",
    "X'a''b'",
    'U&"\\0061"',
    '$$a$$',
    '$q$a$q$',
    // For the server, the sign is a letter, and the quotes are within the name.
    'a€$q$ OR true OR $q$',
    'a\u00a0b',
    'a\u2028b',
    'a\u000bb',
    'a😀',
    '`a`',
    'a \\ b',
    "'a\0b'",
    '"a\0b"',
    'a\0',
    "'open",
    '"open',
    '/* open',
    '/* /* */',
    // Functions that are called like columns.
    "('x'::text).current_setting",
    '(a).*',
    'a[1].current_setting',
    '${x}.current_setting',
    "'x'.current_setting",
    // Types of the catalog.
    'a::regclass',
    'a::"regclass"',
    'a::_regrole',
    'a :: regrole[]',
    'a::pg_catalog.regclass',
    'a::"pg_catalog"."regclass"',
    'a::date.regclass',
    'a::pg_authid',
    'a::hidden.salaries',
    'a::aclitem',
    'CAST(a AS regclass)',
    'CAST((a) AS _regclass)',
    'CAST(a AS pg_catalog.regclass)',
    "regclass '1260'",
    '"regclass" \'1260\'',
    "pg_catalog.date '1260'",
    'regclass ${x}',
    "'x'::xml",
    // Functions beyond the list.
    "query_to_xml('x', true, true, '')",
    'xmlelement(name a)',
    "pg_catalog.upper('a')",
    // Times that change.
    "'now'::timestamptz",
    "date 'today'",
    "CAST(' Yesterday' AS date)",
  ])('given %s, then it is refused', (sql) => {
    const refused = expect.objectContaining({ code: 'invalid' })
    expect(() => inExpression(sql)).toThrow(refused)
    expect(() => inSelect(sql)).toThrow(refused)
  })

  it('given a reserved word as a column, then the sentence says how to write it', () => {
    expect(() => inExpression('user = 1')).toThrow('write "user" in double quotes')
  })
})
