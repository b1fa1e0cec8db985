import { describe, expect, test } from 'vitest'
import { listingOf } from './listing.ts'

describe('listings', () => {
  test('given a snapshot in the query, the header or both, then the listing uses it, preferring the query, and does not change it', () => {
    for (const [query, header, asOf] of [
      [{ page: 1, asOf: '3' }, undefined, '3'],
      [{ page: 0, asOf: '3' }, '4', '3'],
      [{ first: 5 }, '4', '4'],
    ] as const) {
      const listing = listingOf(query, header)
      listing?.bind('9')
      expect(listing?.asOf).toBe(asOf)
    }
  })

  test('given a listing of the current state, when its snapshot is set, then later reads of that request use it, and no other request does', () => {
    const listing = listingOf({ page: 0 }, undefined)
    expect(listing?.asOf).toBeUndefined()
    listing?.bind('1')
    listing?.bind('2')
    expect(listing?.asOf).toBe('1')
    expect(listingOf({ page: 1 }, undefined)?.asOf).toBeUndefined()
  })

  test('given an operation without pages, then there is no listing', () => {
    expect(listingOf({}, '4')).toBeUndefined()
    expect(listingOf(undefined, '4')).toBeUndefined()
  })
})
