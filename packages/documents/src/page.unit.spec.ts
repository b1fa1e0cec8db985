import { expect, it } from 'vitest'
import { alignedSize } from './page.ts'

it.each([
  [0, 100, 64],
  [75, 100, 1],
  [76, 100, 4],
  [96, 8, 8],
  [96, 1, 1],
])('given the offset %d and at most %d documents, then a page of %d begins there', (offset, most, size) => {
  expect(alignedSize(offset, most)).toBe(size)
})
