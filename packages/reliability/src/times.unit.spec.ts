import { describe, expect, it } from 'vitest'
import { compareText, readBound } from './bounds.ts'
import { momentText, parseMoment } from './times.ts'

describe('dates and times', () => {
  it.each([
    ['0001-01-01', '0001-01-01T00:00:00Z'],
    ['0099-12-31T23:59:59.5Z', '0099-12-31T23:59:59.5Z'],
    ['1969-12-31 23:59:59', '1969-12-31T23:59:59Z'],
    ['2024-02-29T00:30+02:00', '2024-02-28T22:30:00Z'],
    ['9999-12-31', '9999-12-31T00:00:00Z'],
  ])('given %s, then it is the moment %s', (text, moment) => {
    const parsed = parseMoment(text)
    expect(parsed && momentText(parsed)).toBe(moment)
  })

  it.each(['0000-01-01', '2023-02-29', '0001-13-01', '2026-01-01T24:00:00', '26-01-01', 'today'])(
    'given %s, then it is none',
    (text) => expect(parseMoment(text)).toBeUndefined(),
  )

  it('given the first day that many systems write for no date, then it stands before all others', () => {
    expect(compareText('0001-01-01', readBound('1970-01-01'))).toBeLessThan(0)
    expect(compareText('1970-01-01', readBound('0001-01-01'))).toBeGreaterThan(0)
    expect(compareText('0001-01-01', readBound('0001-01-01'))).toBe(0)
  })
})
