import { describe, expect, it } from 'vitest'
import { timeColumnOf } from './time-column.ts'

const definition = {
  ...{ columnName: null, granularity: 'DAY' as const, from: null, timeZone: 'America/New_York' },
  ...{ freshnessColumn: null, marker: null },
}
const columns = [
  { name: 'made', dataType: 'TIMESTAMP' },
  { name: 'dt', dataType: 'DATE' },
  { name: 'day', dataType: 'VARCHAR' },
]

describe('the time of a row', () => {
  it('given hours, then a partition of dates gives way to a column of times', () => {
    const hourly = { ...definition, granularity: 'HOUR' as const, freshnessColumn: 'made' }
    const side = { columns, partitions: ['dt'] }
    expect(timeColumnOf(hourly, side)).toMatchObject({ source: 'FRESHNESS_COLUMN', columnName: 'made' })
    expect(timeColumnOf({ ...hourly, granularity: 'DAY' }, side)).toMatchObject({ source: 'PARTITION' })
    expect(timeColumnOf({ ...hourly, freshnessColumn: null }, side)).toBeUndefined()
    expect(timeColumnOf({ ...hourly, columnName: 'dt' }, side)).toBeUndefined()
  })

  it('given names of files with dates, then they count if nothing else has a time, and not for hours', () => {
    const side = { columns, hasDatedNames: true }
    expect(timeColumnOf(definition, side)).toMatchObject({ source: 'FILE_NAME', columnName: '', isDate: true })
    expect(timeColumnOf({ ...definition, freshnessColumn: 'made' }, side)).toMatchObject({ source: 'FRESHNESS_COLUMN' })
    expect(timeColumnOf({ ...definition, granularity: 'HOUR' }, side)).toBeUndefined()
    expect(timeColumnOf({ ...definition, columnName: 'day' }, side)).toMatchObject({ source: 'POLICY' })
    expect(timeColumnOf(definition, { columns, hasDatedNames: false })).toBeUndefined()
  })

  it.each([
    ['%Y%m%d', true],
    ['%d/%m/%Y', true],
    ['%Y-%m-%d %H:%M:%S', false],
    [null, false],
  ])('given text of the format %s, then it holds dates: %s', (format, isDate) => {
    const marker = { columnName: 'day', format }
    expect(timeColumnOf({ ...definition, marker }, { columns })).toMatchObject({ source: 'MARKER', isDate })
  })
})
