import fc from 'fast-check'
import { validate, version } from 'uuid'
import { describe, expect, test } from 'vitest'
import { createUuidV7, drawnRandom } from './uuid-v7.ts'

describe('given ids of version 7', () => {
  test('when they are made at any times, then they ascend, differ and name the latest time so far', () => {
    const step = fc.record({ by: fc.integer({ min: -5, max: 5 }), byte: fc.nat(255) })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 47 }), fc.array(step, { minLength: 1 }), (start, steps) => {
        let [time, byte] = [start, 0]
        const newId = createUuidV7({ now: () => time, random: () => byte })
        let [before, latest] = ['', 0]
        for (const { by, byte: next } of steps) {
          time = Math.max(0, time + by)
          byte = next
          latest = Math.max(latest, time)
          const id = newId()
          expect([validate(id), version(id)]).toEqual([true, 7])
          expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(latest)
          expect(id > before).toBe(true)
          before = id
        }
      }),
    )
  })

  test('when two are of one millisecond, then the counter goes on', () => {
    let bytes = 0
    const random = () => {
      bytes += 1
      return 255
    }
    const newId = createUuidV7({ now: () => 1000, random })
    expect(newId()).toBe('00000000-03e8-77ff-bfff-ffffffffffff')
    expect(newId()).toBe('00000000-03e8-7800-8000-03ffffffffff')
    expect(bytes).toBe(4 + 6 + 6)
  })
})

test('given bytes that are drawn many at once, when more are asked for, then all are used once and in order', () => {
  let filled = 0
  const random = drawnRandom((bytes) => {
    bytes.fill(filled)
    filled += 1
  })
  const given = Array.from({ length: 4096 * 2 + 1 }, random)
  expect([given[0], given[4095], given[4096], given[8191], given[8192], filled]).toEqual([0, 0, 1, 1, 2, 3])
})
