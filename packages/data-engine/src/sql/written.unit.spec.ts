import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quotedNames, tokenize, variableKeys } from './tokens.ts'
import { planParameters, sourcePosition, writtenSql } from './written.ts'

const parameters = () => planParameters('2026-01-02T03:04:05.000Z')
const expression = (sql: string, variables = {}) => writtenSql({ sql, variables }, 'expression', parameters())

describe("users' SQL", () => {
  it.each([
    'a > 1',
    `a = 'it''s -- no comment' AND "b ; )" = 1`,
    `E'\\'' || a`,
    'a /* ) /* nested ( */ ; */ + 1',
    '$$ ; ) ${x} $$ = a',
    '$tag$ $$ $tag$ = a',
    'größe > 0 -- the end',
  ])('given %s, then it is unchanged', (sql) => {
    expect(expression(sql)).toMatchObject({ text: sql, bindings: {} })
  })

  it.each(['', '  -- only this', `'open`, '"open', '/* open', '$$ open', '$1', '?', 'a = ${unknown}', `a = E'\\'`])(
    'given %s, then it is refused',
    (sql) => {
      expect(() => expression(sql)).toThrow(expect.objectContaining({ code: 'invalid' }))
    },
  )

  it('given variables, then they are bound only outside of strings, names and comments', () => {
    const made = expression('a = ${x} AND b = \'${x}\' AND "${x}" > ${n:text} -- ${x}', { x: "'; DROP", n: 7 })
    expect(made.bindings).toEqual({ assay_v1: "'; DROP", assay_v2: '7' })
    expect(made.text).toContain("'${x}'")
    expect(made.text).not.toContain('DROP')
  })

  it('given the current time, then it is the start of the run, and columns of these names are unchanged', () => {
    expect(expression('now() > a').text).toContain("CAST(TIMESTAMPTZ '2026-01-02T03:04:05.000Z' AS TIMESTAMPTZ) > a")
    expect(expression('today > asset.current_date').text).toBe('today > asset.current_date')
  })

  it.each([
    ['now ( ) > a', 'TIMESTAMPTZ'],
    ['"now"() > a', 'TIMESTAMPTZ'],
    ['current_time > a', 'TIMETZ'],
    ['get_current_time() > a', 'TIMETZ'],
    ['current_date() > a', 'DATE'],
    ['localtimestamp > a', 'TIMESTAMP'],
  ])('given %s, then it is a constant', (sql, type) => {
    expect(expression(sql).text).toBe(`CAST(TIMESTAMPTZ '2026-01-02T03:04:05.000Z' AS ${type}) > a`)
  })

  it.each(['localtime > a', 'current_localtime() > a'])(
    'given %s, then it is cast through a timestamp without zone',
    (sql) => {
      expect(expression(sql).text).toContain(
        "CAST(CAST(TIMESTAMPTZ '2026-01-02T03:04:05.000Z' AS TIMESTAMP) AS TIME) > a",
      )
    },
  )

  it('given a SELECT, then only the semicolon at its end is removed', () => {
    const select = (sql: string) => writtenSql({ sql, variables: {} }, 'select', parameters()).text
    expect(select('SELECT 1 ; -- done')).toBe('SELECT 1 ')
    expect(select('SELECT 1; SELECT 2')).toBe('SELECT 1; SELECT 2')
  })

  it("given a position in the resulting text, then its position in the user's text is found", () => {
    const written = expression('${x} = 1 AND ü > now() AND here', { x: 'y' })
    expect(sourcePosition(written, written.text.indexOf('here'))).toBe(
      '${x} = 1 AND ü > now() AND here'.indexOf('here') + 1,
    )
  })

  it('given any text, then its joined tokens equal the text', () => {
    const pieces = fc.constantFrom(
      ...["'", '"', '$', '$$', '${a}', '--', '\n', '/*', '*/', '(', ';', 'a', '1', ' ', '\\', "E'", '?'],
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

  it('given repeated names and variables, then each is listed once', () => {
    expect(quotedNames('SELECT "a" FROM "b""c" JOIN "a" -- "d"')).toEqual(['a', 'b"c'])
    expect(variableKeys("${a} + ${b:text} + '${c}' + ${a}")).toEqual(['a', 'b'])
  })
})
