import { describe, expect, test } from 'vitest'
import { logProgress } from './rebuild-progress.ts'

describe('the progress of a rebuild at the start', () => {
  const loggedFor = (counts: readonly number[]): unknown[] => {
    const logged: unknown[] = []
    const silent = { debug: () => {}, warn: () => {}, error: () => {} }
    const log = logProgress({ ...silent, info: (fields: unknown) => logged.push(fields) }, ['assets'])
    for (const events of counts) log(events)
    return logged
  }

  test('given an empty log, then nothing is logged', () => expect(loggedFor([0, 0])).toEqual([]))

  test('given many pages of a log, then the first page and every 100,000 events are logged', () => {
    const pages = Array.from({ length: 250 }, (_, page) => (page + 1) * 1_000)
    expect(loggedFor(pages)).toEqual([1_000, 101_000, 201_000].map((events) => ({ collections: ['assets'], events })))
  })
})
