import { validate, version } from 'uuid'
import { expect, it } from 'vitest'
import { uuidV7 } from './node.ts'

it('given many ids of one process, then each is a version 7 UUID that is greater than the one before', () => {
  const ids = Array.from({ length: 5_000 }, () => uuidV7())
  expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})
