import { describe, expect, test } from 'vitest'
import { createPageMarks } from './page-marks.ts'

describe('marks of pages', () => {
  test('given a mark, when it is asked for within its time, then it is there; later it is not', () => {
    let now = 0
    const marks = createPageMarks({ now: () => now }, { milliseconds: 100 })
    marks.remember('a', 'm')
    now = 99
    expect([marks.of('a'), marks.of('b')]).toEqual(['m', undefined])
    now = 100
    expect(marks.of('a')).toBeUndefined()
  })

  test('given a first page that is read again, when its mark is asked for, then it is the new one, from now on', () => {
    let now = 0
    const marks = createPageMarks({ now: () => now }, { milliseconds: 100 })
    marks.remember('a', 'old')
    now = 90
    marks.remember('a', 'new')
    now = 150
    expect(marks.of('a')).toBe('new')
  })

  test('given more marks than are kept, when one is added, then the one that was not used for longest is forgotten', () => {
    const marks = createPageMarks({ now: () => 0 }, { most: 2 })
    marks.remember('a', '1')
    marks.remember('b', '2')
    marks.of('a')
    marks.remember('c', '3')
    expect(['a', 'b', 'c'].map((name) => marks.of(name))).toEqual(['1', undefined, '3'])
  })
})
