import { describe, expect, it } from 'vitest'
import { createFailedPaths } from './failed-paths.ts'

describe('paths that a crawl could not read', () => {
  it.each([
    ['/', '2026/a.csv', ['2026', 'a.csv'], true],
    ['/', '2026/a.csv', ['2026'], true],
    ['/', '2026/a.csv', ['2026', 'b.csv'], false],
    ['/', '2026/a.csv', ['2026', 'a.csv', 'x'], true],
    ['/', '2026', ['2026', 'deep', 'a.csv'], true],
    ['/', '2026', ['20261'], false],
    ['/', './2026/', ['2026', 'a.csv'], true],
    ['/', 'a.csv', ['x', 'a.csv'], false],
    ['/', 'a.csv', ['a'], false],
    ['/', '.', ['anything'], true],
    ['/', '', ['anything'], true],
    ['.', 'main.orders', ['db', 'main', 'orders'], true],
    ['.', 'db.main.orders', ['db', 'main', 'orders'], true],
    ['.', 'main.orders', ['db', 'main', 'people'], false],
    ['.', 'orders', ['db', 'main', 'orders'], true],
    ['.', 'db/main/orders', ['db', 'main', 'orders'], true],
  ] as const)(
    'given names separated by %s and the unreadable path %j, then %j is protected: %s',
    (separator, path, parts, isProtected) => {
      const failed = createFailedPaths(separator === '/' ? ['/'] : ['.', '/'])
      expect(failed.protects(parts)).toBe(false)
      failed.add(path)
      expect(failed.protects(parts)).toBe(isProtected)
    },
  )

  it('given an unreadable file, then sets of files in its folder are protected', () => {
    const failed = createFailedPaths(['/'])
    failed.add('2026/orders-3.csv')
    expect(failed.protects(['2026', 'orders'], true)).toBe(true)
    expect(failed.protects(['2026', 'orders'])).toBe(false)
    expect(failed.protects(['2025', 'orders'], true)).toBe(false)
    expect(failed.protects(['orders'], true)).toBe(true)
  })
})
