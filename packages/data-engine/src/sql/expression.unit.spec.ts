import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planParameters, rowExpression, selectStatement } from './expression.ts'
import { tokenize } from './tokens.ts'

const parameters = () => planParameters('2026-01-02T03:04:05.000Z')
const expression = (sql: string, variables = {}) => rowExpression({ sql, variables }, parameters())

describe('what people write as SQL', () => {
  it.each([
    'a > 1',
    `a = 'it''s -- no comment' AND "b ; )" = 1`,
    `E'\\'' || a`,
    'a /* ) /* nested ( */ ; */ + 1',
    '$$ ; ) ${x} $$ = a',
    '$tag$ $$ $tag$ = a',
    'a[1] + {x: 1}.x',
    'größe > 0 -- the end',
    'uuid IS NOT NULL AND random > 1 AND asset.nextval = 3',
    '"uuid" = \'x\' AND current_setting > 1 AND age(a, b) > c AND duckdb_version = 1',
    "a = 'current_setting'",
  ])('takes %s as it is', (sql) => {
    expect(expression(sql)).toEqual({ text: `(${sql}\n)`, bindings: {} })
  })

  it.each([
    '',
    '  -- only this',
    '1) OR (1',
    'a)',
    '(a',
    '[1)',
    'a; b',
    `'open`,
    '"open',
    '/* open',
    '$$ open',
    '$1',
    '?',
    'a = ${unknown}',
    'random() > 1',
    '"uuid"() = a',
    'random /* x */ () > 1',
    'ago(a) > b',
    'age(a) > b',
    'age((SELECT max(x) FROM t WHERE y IN (1, 2))) > b',
    'main.now() > a',
    "current_setting('temp_directory') = a",
    "('threads').current_setting() = a",
    '"current_setting" (\'threads\') = a',
    'current_query() = a',
    'EXISTS (FROM duckdb_settings())',
    'EXISTS (FROM duckdb_databases)',
    'EXISTS (FROM pg_catalog."pg_settings")',
    "EXISTS (FROM 'pg_settings')",
    "EXISTS (FROM E'pg\\x5fsettings')",
    "EXISTS (FROM 'pg_'\n'settings')",
    'EXISTS (FROM $a$duckdb_databases$a$)',
    "EXISTS (FROM query('FROM x'))",
    "EXISTS (FROM query_table('pg_' || 'settings'))",
    'EXISTS (FROM pragma_database_size())',
    `a = E'\\'`,
  ])('refuses %s', (sql) => {
    expect(() => expression(sql)).toThrow(expect.objectContaining({ code: 'invalid' }))
  })

  it('binds variables outside strings, names and comments only', () => {
    const made = expression('a = ${x} AND b = \'${x}\' AND "${x}" > ${n:text} -- ${x}', { x: "'; DROP", n: 7 })
    expect(made.bindings).toEqual({ assay_v1: "'; DROP", assay_v2: '7' })
    expect(made.text).toContain("'${x}'")
    expect(made.text).not.toContain('DROP')
  })

  it('freezes the time where it is asked for, and leaves columns that are called so', () => {
    expect(expression('now() > a').text).toContain("CAST(TIMESTAMPTZ '2026-01-02T03:04:05.000Z' AS TIMESTAMPTZ) > a")
    expect(expression('today > asset.current_date').text).toBe('(today > asset.current_date\n)')
  })

  it.each([
    ['now ( ) > a', 'TIMESTAMPTZ'],
    ['"now"() > a', 'TIMESTAMPTZ'],
    ['current_time > a', 'TIMETZ'],
    ['get_current_time() > a', 'TIMETZ'],
    ['current_date() > a', 'DATE'],
    ['localtimestamp > a', 'TIMESTAMP'],
  ])('freezes %s', (sql, type) => {
    expect(expression(sql).text).toBe(`(CAST(TIMESTAMPTZ '2026-01-02T03:04:05.000Z' AS ${type}) > a\n)`)
  })

  it.each(['localtime > a', 'current_localtime() > a'])('freezes %s through a time without zone', (sql) => {
    expect(expression(sql).text).toContain(
      "CAST(CAST(TIMESTAMPTZ '2026-01-02T03:04:05.000Z' AS TIMESTAMP) AS TIME) > a",
    )
  })

  it('refuses a SELECT that asks about the engine', () => {
    const select = (sql: string) => () => selectStatement({ sql, variables: {} }, parameters())
    expect(select("SELECT current_setting('threads')")).toThrow(expect.objectContaining({ code: 'invalid' }))
    expect(select('SELECT count(*) FROM duckdb_settings()')).toThrow(expect.objectContaining({ code: 'invalid' }))
  })

  it('drops the semicolon that closes a SELECT, and refuses a second statement', () => {
    expect(selectStatement({ sql: 'SELECT 1 ; -- done', variables: {} }, parameters()).text).toBe('SELECT 1 ')
    expect(() => selectStatement({ sql: 'SELECT 1; SELECT 2', variables: {} }, parameters())).toThrow(
      'Write one SELECT only, without a semicolon.',
    )
  })

  it('tokens joined are the text again, whatever it is', () => {
    const pieces = fc.constantFrom(
      "'",
      '"',
      '$',
      '$$',
      '${a}',
      '--',
      '\n',
      '/*',
      '*/',
      '(',
      ')',
      ';',
      'a',
      '1',
      ' ',
      '\\',
      "E'",
      '?',
    )
    fc.assert(
      fc.property(
        fc.array(pieces).map((parts) => parts.join('')),
        (text) => {
          let tokens: ReturnType<typeof tokenize>
          try {
            tokens = tokenize(text)
          } catch {
            return
          }
          expect(tokens.map((token) => token.text).join('')).toBe(text)
        },
      ),
    )
  })
})
