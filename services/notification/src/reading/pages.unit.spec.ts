import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Part, pageOf } from './pages.ts'

const partOf =
  (all: readonly number[]): Part<number> =>
  async ({ page, size }) => ({ documents: all.slice(page * size, (page + 1) * size), count: all.length })

describe('pages over several parts', () => {
  it('given any parts, then each page equals the page of the concatenated parts', async () => {
    const parts = fc.array(fc.array(fc.integer(), { maxLength: 9 }), { maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(parts, fc.nat(6), fc.nat(5), async (lists, page, size) => {
        const joined = lists.flat()
        const found = await pageOf(lists.map(partOf), { page, size })
        expect(found).toEqual({ documents: joined.slice(page * size, (page + 1) * size), count: joined.length })
      }),
    )
  })
})
