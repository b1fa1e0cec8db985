import { describe, expect, test } from 'vitest'
import { listingOf } from './listing.ts'

describe('listings', () => {
  test('given a moment in the query, the header or both, then the listing is of it, the query first, and stays there', () => {
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

  test('given a listing of now, when it was read, then the rest of the request is of that moment, and no other request', () => {
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
