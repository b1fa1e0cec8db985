import { describe, expect, it } from 'vitest'
import { readMarkerTime } from './marker-times.ts'
import { markerKey, runWindow, storedMarkerProblem, storedWindow } from './markers.ts'

const asset = {
  columns: [
    { name: 'id', dataType: 'BIGINT' },
    { name: 'made', dataType: 'TIMESTAMP' },
    { name: 'day', dataType: 'DATE' },
    { name: 'name', dataType: 'VARCHAR' },
  ],
  isFiles: true,
}
const table = { ...asset, isFiles: false }
const number = (text: string) => ({ kind: 'number', text })
const time = (text: string) => ({ kind: 'time', text })

const marked = (marker: { type: string; [field: string]: unknown }): { type: string } => marker

describe('a stored marker', () => {
  const id = { type: 'IdMarkerConfig', columnName: 'id', initialOffset: '10' }
  it('given no mark, then it reads from its offset on, inclusive, and later only values above the mark', () => {
    const column = { kind: 'column', column: 'id', follow: true }
    expect(storedWindow(id, asset, null)).toEqual({ window: { ...column, min: number('10'), inclusive: true } })
    expect(storedWindow(id, asset, '25')).toEqual({ window: { ...column, min: number('25'), inclusive: false } })
    const everything = { type: 'IdMarkerConfig', columnName: 'id' }
    expect(storedWindow(everything, asset, null)).toEqual({ window: { ...column, inclusive: true } })
  })
  it('given a zone and a format, then they are used to parse the offset', () => {
    const marker = {
      type: 'DateTimeMarkerConfig',
      columnName: 'made',
      format: 'dd.MM.yyyy HH:mm',
      timeZoneId: 'Europe/Berlin',
      initialOffset: '01.07.2026 12:30',
    }
    expect(storedWindow(marker, asset, null)).toMatchObject({ window: { min: time('2026-07-01T10:30:00.000Z') } })
  })
  it.each([
    [{ type: 'IdMarkerConfig', columnName: 'gone' }, 'columnName'],
    [{ type: 'IdMarkerConfig', columnName: 'made' }, 'columnName'],
    [{ type: 'IdMarkerConfig' }, 'columnName'],
    [{ type: 'IdMarkerConfig', columnName: 'id', initialOffset: 'x' }, 'initialOffset'],
    [{ type: 'DateTimeMarkerConfig', columnName: 'id' }, 'columnName'],
    [{ type: 'DateTimeMarkerConfig', columnName: 'made', timeZoneId: 'Mars/Olympus' }, 'timeZoneId'],
    [{ type: 'DateTimeMarkerConfig', columnName: 'made', initialOffset: '2026-02-30' }, 'initialOffset'],
    [{ type: 'DateTimeMarkerConfig', columnName: 'made', format: 'YYYY', initialOffset: '2026' }, 'format'],
  ])('given %j, then it cannot be stored', (marker, path) => {
    expect(storedMarkerProblem(marker, asset)).toMatchObject({ path })
  })
  it.each([
    [{ type: 'TimestampBasedMarkerConfig' }, asset],
    [{ type: 'DateBasedPartitionMarkerConfig' }, asset],
    [{ type: 'FileEventMarkerConfig' }, table],
  ])('given %j, then it can be stored, but the asset does not support runs with it', (marker, of) => {
    expect(storedMarkerProblem(marker, of)).toBeUndefined()
    expect(storedWindow(marker, of, null)).toMatchObject({ problem: { kind: 'unprocessable' } })
  })
  it('given a topic, then a marker on times selects messages: those after the position that a run reached, or from a time on', () => {
    const topic = { columns: [], isFiles: false, isTopic: true }
    const marker = { type: 'TimestampBasedMarkerConfig', initialOffset: '2026-11-01', timeZoneId: 'Europe/Berlin' }
    const from = '2026-10-31T23:00:00.000Z'
    expect(storedWindow(marker, topic, null)).toEqual({ window: { kind: 'offsets', from, follow: true } })
    expect(storedWindow({ type: marker.type }, topic, null)).toEqual({ window: { kind: 'offsets', follow: true } })
    expect(storedWindow(marker, topic, '{"0":7}')).toEqual({
      window: { kind: 'offsets', after: '{"0":7}', follow: true },
    })
    expect(runWindow(marker, topic)).toEqual({ window: { kind: 'offsets', from, follow: false } })
    expect(runWindow({ type: marker.type }, topic)).toMatchObject({
      problem: { kind: 'invalid', path: 'initialOffset' },
    })
    expect(storedWindow(marked({ ...marker, timeZoneId: 'Mars' }), topic, null)).toMatchObject({
      problem: { path: 'timeZoneId' },
    })
  })
  it('given another column or offset, then the key differs', () => {
    expect(markerKey(id)).toBe(markerKey({ ...id }))
    expect(markerKey(id)).not.toBe(markerKey({ ...id, initialOffset: '11' }))
  })
})

describe('markers of partitions', () => {
  const days = {
    columns: [
      { name: 'country', dataType: 'VARCHAR' },
      { name: 'year', dataType: 'BIGINT' },
      { name: 'month', dataType: 'VARCHAR' },
      { name: 'day', dataType: 'VARCHAR' },
      { name: 'dt', dataType: 'DATE' },
      { name: 'stamp', dataType: 'BIGINT' },
    ],
    isFiles: true,
  }
  const parts = [
    { column: 'year', format: '%Y' },
    { column: 'month', format: '%m' },
    { column: 'day', format: '%d' },
  ]
  const byParts: { type: string; [field: string]: string } = {
    type: 'DayMonthYearBasedPartitionMarkerConfig',
    initialOffset: '2026-01-02',
  }
  const byDate: { type: string; [field: string]: string } = {
    type: 'DateBasedPartitionMarkerConfig',
    columnName: 'stamp',
    format: 'yyyyMMdd',
  }

  const named = (partition: string): { type: string; partition: string } => ({ type: 'partition', partition })

  it('given a stored marker, then it reads from its day on, and later the partitions after the last one read', () => {
    const from = { kind: 'dates', parts, follow: true }
    expect(storedWindow(byParts, days, null)).toEqual({
      window: { ...from, min: '2026-01-02T00:00:00.000Z', inclusive: true },
    })
    expect(storedWindow(byParts, days, '2026-01-05T00:00:00Z')).toEqual({
      window: { ...from, min: '2026-01-05T00:00:00Z', inclusive: false },
    })
    expect(storedWindow(byDate, days, null)).toEqual({
      window: { kind: 'dates', parts: [{ column: 'stamp', format: '%Y%m%d' }], inclusive: true, follow: true },
    })
    expect(storedWindow(marked({ ...byDate, columnName: 'dt' }), days, null)).toMatchObject({
      window: { parts: [{ column: 'dt', format: null }] },
    })
    expect(markerKey(byParts)).not.toBe(markerKey(marked({ ...byParts, dayColumnName: 'day' })))
  })
  it('given two dates for one run, then the range includes both dates', () => {
    expect(runWindow(marked({ ...byDate, fromDate: '20260102', toDate: '20260103' }), days)).toEqual({
      window: {
        kind: 'dates',
        parts: [{ column: 'stamp', format: '%Y%m%d' }],
        min: '2026-01-02T00:00:00.000Z',
        max: '2026-01-03T23:59:59.999999Z',
        inclusive: true,
        follow: false,
      },
    })
    expect(runWindow(named('country=a%2Fb/month=01'), days)).toEqual({
      window: {
        kind: 'partition',
        values: [
          { column: 'country', value: 'a/b' },
          { column: 'month', value: '01' },
        ],
      },
    })
  })
  it.each([
    [{ type: 'partition', partition: 'DE' }, 'partition'],
    [{ type: 'partition', partition: 'country=DE/' }, 'partition'],
    [{ type: 'partition', partition: 'land=DE' }, 'partition'],
    [{ type: 'partition', partition: 'country=DE/country=FR' }, 'partition'],
    [{ ...byDate }, 'fromDate'],
    [{ ...byDate, fromDate: '20260103', toDate: '20260102' }, 'fromDate'],
    [{ ...byDate, fromDate: '20260230' }, 'fromDate'],
    [{ ...byDate, columnName: 'gone', fromDate: '20260102' }, 'columnName'],
    [{ ...byDate, format: 'YYYY', fromDate: '2026' }, 'format'],
    [{ type: 'DateBasedPartitionMarkerConfig', columnName: 'stamp', fromDate: '2026-01-02' }, 'format'],
    [{ ...byParts, dayColumnName: 'gone', fromDate: '2026-01-02' }, 'dayColumnName'],
  ])('given %j, then a run with it is refused', (marker: { type: string }, path) => {
    expect(runWindow(marker, days)).toMatchObject({ problem: { kind: 'invalid', path } })
  })
})

describe('a marker of one run', () => {
  it.each([
    [
      { type: 'bound', idColumnName: 'id', fromId: 2, toId: 4 },
      { min: number('2'), max: number('4') },
    ],
    [{ type: 'id', idColumnName: 'id', toId: 4, baseAssetId: null }, { max: number('4') }],
    [
      {
        type: 'boundDateTime',
        dateColumnName: 'made',
        fromDate: '2026-07-01',
        toDate: '2026-07-01',
        timeZoneId: 'Europe/Berlin',
      },
      { min: time('2026-06-30T22:00:00.000Z'), max: time('2026-07-01T21:59:59.999999Z') },
    ],
    [
      {
        type: 'datetime',
        dateColumnName: 'day',
        fromDate: '2026-07-01',
        toDate: '2026-07-02',
        timeZoneId: 'America/New_York',
      },
      { min: { kind: 'date', text: '2026-07-01' }, max: { kind: 'date', text: '2026-07-02' } },
    ],
    [
      { type: 'boundFileEvent', fromDate: '2026-07-01T00:00:00Z' },
      { kind: 'files', min: '2026-07-01T00:00:00.000Z' },
    ],
  ])('given %j, then its bounds are inclusive', (marker, window) => {
    expect(runWindow(marker, asset)).toMatchObject({ window: { ...window, inclusive: true, follow: false } })
  })
  it.each([
    [{ type: 'bound', idColumnName: 'gone', fromId: 1, toId: 2 }, 'invalid', 'idColumnName'],
    [{ type: 'bound', idColumnName: 'id', fromId: 3, toId: 2 }, 'invalid', 'fromId'],
    [{ type: 'bound', idColumnName: 'id', fromId: '1', toId: 2 }, 'invalid', 'fromId'],
    [{ type: 'bound', idColumnName: 'id' }, 'invalid', 'fromId'],
    [
      { type: 'boundDateTime', dateColumnName: 'made', fromDate: '2026-07-02', toDate: '2026-07-01' },
      'invalid',
      'fromDate',
    ],
    [{ type: 'boundDateTime', dateColumnName: 'id', fromDate: '2026-07-02' }, 'invalid', 'dateColumnName'],
    [{ type: 'somewhere' }, 'invalid', 'type'],
    [{ type: 'timestamp', initialOffset: '1' }, 'unprocessable', 'type'],
  ])('given %j, then it is %s at %s', (marker, kind, path) => {
    expect(runWindow(marker, asset)).toMatchObject({ problem: { kind, path } })
  })
  it('given a file marker and a table, then it is refused', () => {
    const marker = { type: 'boundFileEvent', fromDate: '2026-07-01' }
    expect(runWindow(marker, table)).toMatchObject({
      problem: { kind: 'unprocessable' },
    })
  })
})

describe('a day in a zone', () => {
  it.each([
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999999Z'],
    ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.999999Z'],
    ['2026-01-01', 'UTC', '2026-01-01T00:00:00.000Z', '2026-01-01T23:59:59.999999Z'],
  ])('given %s in %s, then it begins and ends by local time', (day, zone, from, to) => {
    expect(readMarkerTime(day, undefined, zone)).toEqual({ from, to, day })
  })
})
