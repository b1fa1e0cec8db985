import { describe, expect, it } from 'vitest'
import { globMatcher } from './glob.ts'

describe('given a glob', () => {
  it.each([
    ['*.csv', 'a.csv', true],
    ['*.csv', 'x/a.csv', false],
    ['**/*.csv', 'a.csv', true],
    ['**/*.csv', 'x/y/a.csv', true],
    ['x', 'x/y/a.csv', true],
    ['x/', 'x/a.csv', true],
    ['x/**', 'x/y/a.csv', true],
    ['x/**', 'xy/a.csv', false],
    ['a?.csv', 'a1.csv', true],
    ['a[0-9].csv', 'a1.csv', true],
    ['a[!0-9].csv', 'a1.csv', false],
    ['{a,b}.csv', 'b.csv', true],
    ['{a,b}.csv', 'c.csv', false],
    ['a.csv', 'abcsv', false],
    ['[', '[', true],
    ['(a|b)+.csv', '(a|b)+.csv', true],
    ['./a.csv', 'a.csv', true],
    ['größe*', 'größe 😀.csv', true],
  ])('when %j is applied to %j then it matches: %j', (glob, path, expected) => {
    expect(globMatcher(glob)(path)).toBe(expected)
  })
})
