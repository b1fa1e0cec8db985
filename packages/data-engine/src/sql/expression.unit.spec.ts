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

  it('drops the semicolon that closes a SELECT, and refuses a second statement', () => {
    expect(selectStatement({ sql: 'SELECT 1 ; -- done', variables: {} }, parameters()).text).toBe('SELECT 1 ')
    expect(() => selectStatement({ sql: 'SELECT 1; SELECT 2', variables: {} }, parameters())).toThrow()
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
