import { expect, it } from 'vitest'
import { createPageCache } from './page-cache.ts'

const page = (length: number) => ({ bodies: ['x'.repeat(length)], count: 1 })
/** A cache, and the pages of a collection that did not change. */
function opened(maxSize: number) {
  const puts = new Map<string, number>()
  const cache = createPageCache((collection) => puts.get(collection) ?? 0, maxSize)
  const pagesOf = (collection: string) => {
    const pages = cache.of(collection) ?? cache.of(collection)
    if (pages === undefined) throw new Error('The collection changed.')
    return pages
  }
  return { cache, puts, pagesOf }
}

it('given a page that is set often, then it counts once, and other pages stay', () => {
  const { pagesOf } = opened(5_000)
  pagesOf('a').set('other', page(1_000))
  for (let times = 0; times < 100; times += 1) pagesOf('a').set('page', page(1_000))
  expect(pagesOf('a').get('other')).toEqual(page(1_000))
})

it('given pages of many collections, then all together stay within the limit', () => {
  const { pagesOf } = opened(5_000)
  const names = Array.from({ length: 20 }, (_, at) => `c${at}`)
  for (const name of names) pagesOf(name).set('page', page(1_000))
  const there = names.filter((name) => pagesOf(name).get('page') !== undefined)
  expect(there.length).toBeGreaterThan(0)
  expect(there.length).toBeLessThanOrEqual(4)
})

it('given a collection that changes again and again, then its former pages do not count, and reads of them add nothing', () => {
  const { puts, pagesOf } = opened(5_000)
  pagesOf('kept').set('page', page(1_000))
  for (let at = 1; at < 100; at += 1) {
    puts.set('changing', at)
    const pages = pagesOf('changing')
    pages.set('page', page(1_000))
    puts.set('changing', at + 0.5)
    expect(pagesOf('changing').get('page')).toBeUndefined()
    pages.set('later', page(1_000))
  }
  expect(pagesOf('kept').get('page')).toEqual(page(1_000))
})
