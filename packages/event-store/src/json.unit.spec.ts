import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createJsonSizes, jsonBytes } from './json.ts'

test('given any states that share their properties, then their remembered sizes are those of a measurement', () => {
  const sizeOf = createJsonSizes()
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const states = [{ one }, { one, other }, { other: [one, other] }, one]
      for (const state of [...states, ...states]) expect(sizeOf(state)).toBe(jsonBytes(state))
    }),
    { numRuns: 50 },
  )
})

test('given a state that shares a large property with the one before, then the property is not measured again', () => {
  const sizeOf = createJsonSizes()
  let reads = 0
  const large = new Proxy(['x'], {
    get: (target, key) => {
      reads += 1
      return Reflect.get(target, key)
    },
  })
  sizeOf({ large })
  const once = reads
  sizeOf({ large, revision: 1 })
  expect(once).toBeGreaterThan(0)
  expect(reads).toBe(once)
})
