import { describe, expect, it } from 'vitest'
import { compareText, readBound } from './bounds.ts'
import { instantText, parseInstant } from './times.ts'

describe('dates and times', () => {
  it.each([
    ['0001-01-01', '0001-01-01T00:00:00Z'],
    ['0099-12-31T23:59:59.5Z', '0099-12-31T23:59:59.5Z'],
    ['1969-12-31 23:59:59', '1969-12-31T23:59:59Z'],
    ['2024-02-29T00:30+02:00', '2024-02-28T22:30:00Z'],
    ['9999-12-31', '9999-12-31T00:00:00Z'],
  ])('given %s, then it is the instant %s', (text, instant) => {
    const parsed = parseInstant(text)
    expect(parsed && instantText(parsed)).toBe(instant)
  })

  it.each(['0000-01-01', '2023-02-29', '0001-13-01', '2026-01-01T24:00:00', '26-01-01', 'today'])(
    'given %s, then it is refused',
    (text) => expect(parseInstant(text)).toBeUndefined(),
  )

  it('given 0001-01-01, which many systems write for no date, then it is before all other dates', () => {
    expect(compareText('0001-01-01', readBound('1970-01-01'))).toBeLessThan(0)
    expect(compareText('1970-01-01', readBound('0001-01-01'))).toBeGreaterThan(0)
    expect(compareText('0001-01-01', readBound('0001-01-01'))).toBe(0)
  })
})
