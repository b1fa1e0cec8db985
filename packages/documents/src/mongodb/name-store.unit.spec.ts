import type { Collection } from 'mongodb'
import { describe, expect, test } from 'vitest'
import { nameStore } from './name-store.ts'
import { buckets, type NameRecord, nameRecord, type WordRecord } from './names.ts'
import type { DocumentRecord } from './record.ts'

/** Names of a server that reads everything its filter finds before it applies a limit; `looked` counts them. */
function namesOf(records: readonly NameRecord[]) {
  let looked = 0
  const find = (filter: { tokens: string; bucket?: { $gte: number; $lt: number } }, { limit }: { limit: number }) => {
    const { $gte = 0, $lt = buckets } = filter.bucket ?? {}
    const found = records.filter(
      ({ tokens, bucket }) => tokens.includes(filter.tokens) && bucket >= $gte && bucket < $lt,
    )
    looked += found.length
    const cursor = { batchSize: () => cursor, toArray: async () => found.slice(0, limit) }
    return cursor
  }
  return { find, looked: () => looked }
}

describe('names of MongoDB', () => {
  const records = Array.from({ length: 20_000 }, (_, at) =>
    nameRecord('t', at % 10 === 0 ? `sale_${at}` : `cost_${at}`),
  )
  const open = () => {
    const { find, looked } = namesOf(records)
    const none: unknown = { find: () => expect.unreachable() }
    const store = nameStore({
      names: { find } as unknown as Collection<NameRecord>,
      words: none as Collection<WordRecord>,
      records: none as Collection<DocumentRecord>,
      tenant: 't',
      search: { name: 'name', included: [] },
      maxTimeMS: 1000,
    })
    return { store, looked }
  }

  test('given a letter in very many names, when some names are requested, then few more are read', async () => {
    const { store, looked } = open()
    expect(await store.containing('o', 2000)).toHaveLength(2000)
    expect(looked()).toBeLessThan(3000)
  })

  test('given fewer names than requested, then all of them are found, each once', async () => {
    const { store } = open()
    const found = await store.containing('sa', 10_000)
    expect(new Set(found.map(({ name }) => name)).size).toBe(2000)
    expect(found).toHaveLength(2000)
  })
})
