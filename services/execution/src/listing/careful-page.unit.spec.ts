import { describe, expect, it } from 'vitest'
import { carefulPage } from './careful-page.ts'
import type { Paging } from './policy-pages.ts'

const rows = Array.from({ length: 120 }, (_, id) => ({ id, status: id % 3 === 0 ? 'HIDDEN' : 'ERRORED' }))
const tags = (count: number) => ({ find: async () => ({ documents: [], count }) })

async function asked(query: { page: number; size: number; resultStatus?: string[] }, protectedTags = 1) {
  const reads: (Paging & { isPart: boolean })[] = []
  const found = await carefulPage<(typeof rows)[number]>(
    {
      documents: tags(protectedTags),
      read: async (paging, { isPart }) => {
        reads.push({ ...paging, isPart })
        const start = paging.page * paging.size
        return { rows: rows.slice(start, start + paging.size), count: rows.length }
      },
      statusOf: ({ status }) => status,
    },
    { identity: { tenant: 't', user: 'u', accessKey: 'k', permissions: new Set() } },
    query,
  )
  return { reads, ids: found.rows.map(({ id }) => id), count: found.count }
}

describe('a listing by verdicts that are partly hidden from the caller', () => {
  it('given a small page, then all rows are read in chunks of 50', async () => {
    const { reads, ids, count } = await asked({ page: 1, size: 4, resultStatus: ['ERRORED'] })
    expect({ ids, count }).toEqual({ ids: [7, 8, 10, 11], count: 80 })
    expect(reads.map(({ page, size, isPart }) => ({ page, size, isPart }))).toEqual(
      [0, 1, 2].map((page) => ({ page, size: 50, isPart: true })),
    )
  })

  it('given no protected values, then the page is read as requested', async () => {
    const { reads } = await asked({ page: 1, size: 4, resultStatus: ['ERRORED'] }, 0)
    expect(reads).toEqual([{ page: 1, size: 4, sortBy: undefined, isPart: false }])
  })
})
