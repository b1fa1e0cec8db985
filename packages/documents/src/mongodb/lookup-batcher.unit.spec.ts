import { describe, expect, it } from 'vitest'
import { createLookupBatcher } from './lookup-batcher.ts'

describe('the lookup batcher', () => {
  it('given several callers in one turn of the event loop, when they look up, then one query answers all of them', async () => {
    const questions: string[] = []
    const look = createLookupBatcher(async (ids) => {
      questions.push(ids.join(''))
      return new Map(ids.filter((id) => id !== 'x').map((id) => [id, `found ${id}`]))
    })
    expect(await Promise.all(['a', 'b', 'x', 'a'].map(look))).toEqual(['found a', 'found b', undefined, 'found a'])
    expect(await look('c')).toBe('found c')
    expect(questions).toEqual(['abx', 'c'])
  })

  it('given a query that fails, then all its callers get the error, and the next query runs', async () => {
    let failures = 1
    const look = createLookupBatcher(async (ids) => {
      if (failures-- > 0) throw new Error('away')
      return new Map(ids.map((id) => [id, id]))
    })
    const outcomes = await Promise.allSettled(['a', 'b'].map(look))
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await look('a')).toBe('a')
  })

  it('given very many callers, then no query has more than a hundred ids', async () => {
    const sizes: number[] = []
    const look = createLookupBatcher(async (ids) => {
      sizes.push(ids.length)
      return new Map(ids.map((id) => [id, id]))
    })
    await Promise.all(Array.from({ length: 250 }, (_, n) => look(String(n))))
    expect(sizes).toEqual([100, 100, 50])
  })
})
