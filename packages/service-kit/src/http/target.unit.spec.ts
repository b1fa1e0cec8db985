import { describe, expect, test } from 'vitest'
import { parametersOf, targetOf } from './target.ts'

describe('given the target of a request line', () => {
  test.each([
    ['/a/b', '/a/b', ''],
    ['/a?x=1&y=2', '/a', 'x=1&y=2'],
    ['/a?x=?', '/a', 'x=?'],
    ['/a?', '/a', ''],
    ['/a#b?c', '/a', ''],
    ['/a?x=1#b', '/a', 'x=1'],
    ['//a', '//a', ''],
    ['http://host:1/a?x=1', '/a', 'x=1'],
    ['http://host?x=1', '', 'x=1'],
    ['http://host', '/', ''],
    ['*', '*', ''],
    ['', '/', ''],
  ])('when it is %s, then the path is %s and the query %s', (url, path, query) => {
    expect(targetOf(url)).toEqual({ path, query })
  })
})

test('given the target of a request line, when it repeats a parameter, then that is a list', () => {
  expect({ ...parametersOf('a=1&b=x%20y&b=z&c') }).toEqual({ a: '1', b: ['x y', 'z'], c: '' })
  expect(parametersOf('')).toEqual({})
})
