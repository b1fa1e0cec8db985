import { expect, test } from 'vitest'
import { createStateCache } from './state-cache.ts'

const decider = { initialState: '' }
const state = (letters: number, revision = 0) => ({ state: 'x'.repeat(letters), revision, position: `${revision}` })

test('given room for two states, when a third is added, then the least recently used one is dropped', () => {
  const cache = createStateCache(3000)
  cache.set('acme/a-1', decider, state(1000))
  cache.set('acme/a-2', decider, state(1000))
  expect(cache.get('acme/a-1', decider)).toEqual(state(1000))
  cache.set('acme/a-3', decider, state(1000))
  expect(cache.get('acme/a-2', decider)).toBeUndefined()
  expect(cache.get('acme/a-1', decider)).toEqual(state(1000))
  cache.set('acme/a-1', decider, state(5000, 1))
  expect(cache.get('acme/a-1', decider)).toBeUndefined()
  expect(cache.get('acme/a-3', decider)).toEqual(state(1000))
})

test('given a cached state, when an earlier one is set, then the later one stays', () => {
  const cache = createStateCache(3000)
  cache.set('acme/a-1', decider, state(2, 4))
  cache.set('acme/a-1', decider, state(3, 3))
  expect(cache.get('acme/a-1', decider)).toEqual(state(2, 4))
})

test('given a state, when another aggregate asks for the stream, then it gets none', () => {
  const cache = createStateCache(3000)
  cache.set('acme/a-1', decider, state(2))
  expect(cache.get('acme/a-1', { initialState: '' })).toBeUndefined()
})
