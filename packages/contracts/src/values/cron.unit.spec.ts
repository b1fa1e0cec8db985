import { describe, expect, it } from 'vitest'
import { cronProblem, nextRuns } from './cron.ts'

const runs = (expression: string, timeZone: string, from: string, count: number) =>
  nextRuns(expression, timeZone, Date.parse(from), count).map((time) => new Date(time).toISOString().slice(0, 16))
const berlin = 'Europe/Berlin'

describe('when clocks go forward, a time that does not exist is due right after the change', () => {
  it.each<[string, string, string[]]>([
    ['30 2 * * *', '2026-03-28T12:00:00Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
    ['0 30 2 * * *', '2026-03-28T12:00:00Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
    ['15,45 2 * * *', '2026-03-28T12:00:00Z', ['2026-03-29T01:00', '2026-03-30T00:15', '2026-03-30T00:45']],
    ['0 2-4 * * *', '2026-03-28T12:00:00Z', ['2026-03-29T01:00', '2026-03-29T02:00', '2026-03-30T00:00']],
    ['0 6 * * *', '2026-03-28T12:00:00Z', ['2026-03-29T04:00', '2026-03-30T04:00']],
  ])('%s', (expression, from, expected) => {
    expect(runs(expression, berlin, from, expected.length)).toEqual(expected)
  })
  it('also if they go forward by half an hour, or at midnight', () => {
    expect(runs('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00:00Z', 2)).toEqual([
      '2026-10-03T15:30',
      '2026-10-04T15:15',
    ])
    expect(runs('0 0 * * *', 'America/Sao_Paulo', '2018-11-03T12:00:00Z', 2)).toEqual([
      '2018-11-04T03:00',
      '2018-11-05T02:00',
    ])
  })
})

describe('when clocks go back, a repeated time is due once', () => {
  it.each<[string, string, string[]]>([
    ['30 2 * * *', '2026-10-24T12:00:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
    ['30 1,2,3 * * *', '2026-10-24T22:50:00Z', ['2026-10-24T23:30', '2026-10-25T00:30', '2026-10-25T02:30']],
  ])('%s', (expression, from, expected) => {
    expect(runs(expression, berlin, from, expected.length)).toEqual(expected)
  })
})

describe('every n minutes follows real time', () => {
  it('when clocks go forward and when they go back', () => {
    expect(runs('*/20 * * * *', berlin, '2026-03-29T00:30:00Z', 3)).toEqual([
      '2026-03-29T00:40',
      '2026-03-29T01:00',
      '2026-03-29T01:20',
    ])
    expect(runs('30 * * * *', berlin, '2026-10-24T23:10:00Z', 3)).toEqual([
      '2026-10-24T23:30',
      '2026-10-25T00:30',
      '2026-10-25T01:30',
    ])
  })
})

it('names, 7 for Sunday, ?, L, # and @daily are known; a date that never occurs is refused', () => {
  for (const expression of ['0 6 * JAN MON', '0 6 ? * 7', '0 6 L * *', '0 6 * * 1#2', '@daily', '0 0 6 * * *'])
    expect(cronProblem(expression, berlin)).toBeUndefined()
  expect(cronProblem('0 6 31 2 *', berlin)).toContain('never occurs')
  expect(cronProblem('0 6 * * *', 'Mars/Olympus')).toContain('time zone')
})
