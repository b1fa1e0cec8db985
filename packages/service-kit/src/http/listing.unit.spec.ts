import type { Operation } from '@assay/contracts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Identity } from './handler.ts'
import { listingOf } from './listing.ts'
import { createPageMarks, type PageMarks } from './page-marks.ts'

const none = z.object({})
const common = { method: 'GET', service: 'catalog', permissions: [], summary: '', errors: [] } as const
const operation: Operation = { ...common, id: 'list', path: '/things', params: none, query: none }
const identity = (accessKey: string, tenant = 't'): Identity => ({
  tenant,
  user: 'u',
  accessKey,
  permissions: new Set(),
})
const newMarks = () => createPageMarks({ now: () => 0 })

/** Rows in the order of a key that has nothing to do with when they came, and how many came before each. */
interface Row {
  key: number
  place: number
}

function shelf() {
  const rows: Row[] = []
  return {
    rows,
    add(key: number) {
      rows.push({ key, place: rows.length })
    },
    /** A page, read as handlers do. */
    page(marks: PageMarks, who: Identity, query: { page: number; size: number; asOf?: string }) {
      const listing = listingOf({ operation, identity: who, params: {}, query }, marks)
      const upTo = listing?.asOf === undefined ? rows.length : Number(listing.asOf)
      listing?.remember(String(rows.length))
      const there = rows.filter(({ place }) => place < upTo).toSorted((a, b) => b.key - a.key || b.place - a.place)
      return there.slice(query.page * query.size, (query.page + 1) * query.size)
    },
  }
}

describe('listings', () => {
  test('given rows that come while pages are read, when a caller has read all, then each row of the beginning came once, and no other', () => {
    const batch = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 5 })
    fc.assert(
      fc.property(batch, fc.array(batch, { maxLength: 30 }), fc.integer({ min: 1, max: 7 }), (start, added, size) => {
        const store = shelf()
        const marks = newMarks()
        for (const key of start) store.add(key)
        const callers = ['one', 'two'].map((key) => ({ who: identity(key), seen: [] as Row[], there: 0 }))
        for (let page = 0; page * size <= start.length + 200; page += 1)
          for (const caller of callers) {
            if (page === 0) caller.there = store.rows.length
            caller.seen.push(...store.page(marks, caller.who, { page, size }))
            for (const key of added[page] ?? []) store.add(key)
          }
        for (const { seen, there } of callers)
          expect(seen.map(({ place }) => place).toSorted((a, b) => a - b)).toEqual([...Array(there).keys()])
      }),
      { numRuns: 200 },
    )
  })

  test('given a page with a mark of its own, when it is read, then that mark counts and is not remembered for others', () => {
    const marks = newMarks()
    const query = { page: 0, size: 2, asOf: '3' }
    const listing = listingOf({ operation, identity: identity('a'), params: {}, query }, marks)
    listing?.remember('9')
    expect(listing?.asOf).toBe('3')
    const next = { operation, identity: identity('a'), params: {}, query: { page: 1, size: 2 } }
    expect(listingOf(next, marks)?.asOf).toBeUndefined()
  })

  test('given a first page, when another caller, tenant, path, filter or size is asked for, then its mark does not count', () => {
    const marks = newMarks()
    const first = { operation, identity: identity('a'), params: { id: 1 }, query: { page: 0, size: 2, name: 'x' } }
    listingOf(first, marks)?.remember('7')
    const later = { ...first, query: { ...first.query, page: 3 } }
    expect(listingOf(later, marks)?.asOf).toBe('7')
    const others = [
      { ...later, identity: identity('b') },
      { ...later, identity: identity('a', 'u') },
      { ...later, params: { id: 2 } },
      { ...later, operation: { ...operation, id: 'other' } },
      { ...later, query: { ...later.query, name: 'y' } },
      { ...later, query: { ...later.query, size: 3 } },
    ]
    for (const other of others) expect(listingOf(other, marks)?.asOf).toBeUndefined()
  })

  test('given a first page that is read again, when the next is read, then it is of the new mark', () => {
    const marks = newMarks()
    const read = (page: number) =>
      listingOf({ operation, identity: identity('a'), params: {}, query: { page, size: 2 } }, marks)
    read(0)?.remember('1')
    read(0)?.remember('2')
    expect(read(1)?.asOf).toBe('2')
  })

  test('given an operation that counts by `first`, when a later place is asked for, then it is of the mark of the beginning', () => {
    const marks = newMarks()
    const read = (first: number) =>
      listingOf({ operation, identity: identity('a'), params: {}, query: { first, max: 2 } }, marks)
    read(0)?.remember('1')
    expect(read(5)?.asOf).toBe('1')
  })

  test('given all at once or no pages at all, when asked, then nothing is remembered', () => {
    const marks = newMarks()
    const whole = { operation, identity: identity('a'), params: {}, query: { page: -1, size: 2 } }
    listingOf(whole, marks)?.remember('1')
    expect(listingOf({ ...whole, query: { page: 1, size: 2 } }, marks)?.asOf).toBeUndefined()
    expect(listingOf({ ...whole, query: {} }, marks)).toBeUndefined()
  })
})
