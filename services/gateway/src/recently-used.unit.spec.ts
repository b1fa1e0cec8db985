import { expect, test } from 'vitest'
import { createRecentlyUsed } from './recently-used.ts'

test('given a full map, when an entry is added, then the least recently used one is dropped', () => {
  const map = createRecentlyUsed<number>(2)
  map.set('a', 1)
  map.set('b', 2)
  expect(map.get('a')).toBe(1)
  map.set('c', 3)
  expect([map.get('a'), map.get('b'), map.get('c'), map.size]).toEqual([1, undefined, 3, 2])
  map.delete('a')
  expect(map.get('a')).toBeUndefined()
})
