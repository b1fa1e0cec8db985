import { describe, expect, test } from 'vitest'
import { stable } from './stable.ts'

const run = {
  folder: '/tmp/x',
  startedAt: Date.parse('2030-01-05T23:00:00.000Z'),
  endedAt: Date.parse('2030-01-05T23:10:00.000Z'),
}
const answered = (answer: unknown) => stable({ op: { answer } }, run).op?.answer

describe('values that differ between runs', () => {
  test('given times of the run, then they follow a fixed time in order, as text and as numbers', () => {
    const early = '2030-01-05T23:01:00.000Z'
    const late = '2030-01-05T23:02:00.000Z'
    expect(answered({ late, early, number: Date.parse(early) })).toEqual({
      late: '2026-11-20T10:00:00.250Z',
      early: '2026-11-20T10:00:00.000Z',
      number: Date.parse('2026-11-20T10:00:00.000Z'),
    })
  })
  test('given times before and long after the run, then they stay, and times of schedules keep their hour', () => {
    const times = ['2026-11-01T06:00:00.000Z', '2099-01-01T00:00:00.000Z']
    expect(answered(times)).toEqual(times)
    expect(answered('2030-01-06T06:00:00.000Z')).toBe('2026-11-21T06:00:00.000Z')
  })
  test('given ids and keys, then equal ones get equal replacements, and different ones different', () => {
    const one = '01a1fe5f-f4dd-7230-ad16-629f329a7477'
    const other = '40abe43a-32fc-4aa0-a190-49e0c33abd0e'
    const [first, second, again] = answered([one, other, one]) as string[]
    expect(first).toBe(again)
    expect(first).not.toBe(second)
    expect(answered('assay_sk_bkbmCC9DoWvjn5lkApZXIKPHg3tt9ScjQVn8672s4OS0UlVSo')).toBe('assay_sk_example0001')
  })
  test('given folders, days in paths and long lists, then folders and days are replaced, and lists are cut', () => {
    expect(answered({ path: '/tmp/x/samples', stored: 'runs/2030-01-05/bad', list: [1, 2, 3, 4] })).toEqual({
      path: '/srv/samples',
      stored: 'runs/2026-11-20/bad',
      list: [1, 2, 3],
    })
  })
  test('given a stream of events, then its random time to reconnect is always the same', () => {
    expect(answered('retry: 1873\n: events follow\n\n')).toBe('retry: 2317\n: events follow\n\n')
  })
})
