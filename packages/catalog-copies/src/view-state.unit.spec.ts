import { expect, it } from 'vitest'
import { viewState } from './view-state.ts'

const query = { kind: 'query', sql: 'SELECT * FROM v', tables: [], columns: [], fingerprint: 'x' }
const crawled = (definition?: string) => ({ kind: 'table', path: '/data/s.db', table: 'v', definition })
const stateOf = (sources: Record<number, { locator: object; sourceIds?: number[] }>, sourceIds = [200]) =>
  viewState(async (id) => sources[id], { locator: query, sourceIds })

it('given a view of views that read each other, then its state includes all tables that they read', async () => {
  const below = { 200: { locator: crawled('a'), sourceIds: [11, 300] }, 300: { locator: query, sourceIds: [200, 5] } }
  const state = await stateOf(below)
  expect(state.sourceIds).toEqual([5, 11, 200, 300])
  const others = [
    { ...below, 200: { locator: crawled('b'), sourceIds: [11, 300] } },
    { ...below, 300: { locator: query, sourceIds: [200, 6] } },
    { 200: { locator: crawled() } },
  ]
  const views = await Promise.all(others.map((one) => stateOf(one)))
  expect(new Set([state, ...views].map(({ view }) => view)).size).toBe(4)
  expect(await stateOf({ ...below, 5: { locator: crawled() } })).toEqual(state)
})

it('given a table that is not a view, then no other table is read', async () => {
  const unread = () => Promise.reject(new Error('was read'))
  expect(await viewState(unread, { locator: crawled() })).toEqual({})
  const { sourceIds, view } = await viewState(unread, { locator: query })
  expect([sourceIds, typeof view]).toEqual([undefined, 'string'])
})
