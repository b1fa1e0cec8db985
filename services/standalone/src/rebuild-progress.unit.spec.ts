import { describe, expect, test } from 'vitest'
import { logProgress } from './rebuild-progress.ts'

describe('the progress of a rebuild at the start', () => {
  const told = (counts: readonly number[]): unknown[] => {
    const said: unknown[] = []
    const silent = { debug: () => {}, warn: () => {}, error: () => {} }
    const tell = logProgress({ ...silent, info: (fields: unknown) => said.push(fields) }, ['assets'])
    for (const events of counts) tell(events)
    return said
  }

  test('given an empty log, then nothing is logged', () => expect(told([0, 0])).toEqual([]))

  test('given many pages of a log, then the first page and every 100,000 events are logged', () => {
    const pages = Array.from({ length: 250 }, (_, page) => (page + 1) * 1_000)
    expect(told(pages)).toEqual([1_000, 101_000, 201_000].map((events) => ({ collections: ['assets'], events })))
  })
})
