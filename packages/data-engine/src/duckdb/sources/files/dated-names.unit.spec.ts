import { describe, expect, it } from 'vitest'
import { dateInName, haveDates } from './dated-names.ts'

describe('dates in names of files', () => {
  it.each([
    ['a/sales_2026-10-01.csv', '2026-10-01'],
    ['20261001.parquet', '2026-10-01'],
    ['sales.2026.10.01.json', '2026-10-01'],
    ['sales_2026_10_01T03.csv.gz', '2026-10-01'],
    ['2026-10-01/sales.csv', undefined],
    ['sales_2026-10.csv', undefined],
    ['sales_2026-1001.csv', undefined],
    ['sales_202610010300.csv', undefined],
    ['sales_2026-06-31.csv', undefined],
    ['from_2026-10-01_to_2026-10-31.csv', undefined],
  ])('%s has the date %s', (path, date) => expect(dateInName(path)).toBe(date))

  it('given a file without a date, or one date only, then they are no versions of one another', () => {
    const of = (...paths: string[]) => haveDates(paths.map((relative) => ({ relative })))
    expect(of('a-20261001.csv', 'a-20261002.csv')).toBe(true)
    expect(of('a-20261001.csv', 'a-20261002.csv', 'a.csv')).toBe(false)
    expect(of('a-20261001.csv', 'b-20261001.csv')).toBe(false)
  })
})
