import { describe, expect, test } from 'vitest'
import { tellProgress } from './rebuild-progress.ts'

describe('the progress of a rebuild at the start', () => {
  const told = (counts: readonly number[]): unknown[] => {
    const said: unknown[] = []
    const silent = { debug: () => {}, warn: () => {}, error: () => {} }
    const tell = tellProgress({ ...silent, info: (fields: unknown) => said.push(fields) }, ['assets'])
    for (const events of counts) tell(events)
    return said
  }

  test('given a log that is empty, then nothing is said', () => expect(told([0, 0])).toEqual([]))

  test('given many pages of a log, then the first of them is said, and one of each 100,000 events', () => {
    const pages = Array.from({ length: 250 }, (_, page) => (page + 1) * 1_000)
    expect(told(pages)).toEqual([1_000, 101_000, 201_000].map((events) => ({ collections: ['assets'], events })))
  })
})
