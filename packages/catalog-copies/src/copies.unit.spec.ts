import { internalTopics, type WatchMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
import { done } from '@assay/message-bus'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Copies, collectionsOf, keepingCopies, putOfMessage, topicsOf } from './copies.ts'

const watches = defineCollection({
  name: 'watches',
  version: 1,
  idType: 'integer',
  schema: z.object({ user: z.string() }),
  fields: {},
})
const putOf = (tenant: string, { watchId, user, revision }: WatchMessage, position: string) =>
  documentPut(watches, tenant, watchId, { user }, { revision, position })
const copies: Copies = { watches: { collections: [watches], putOf } }

const watch: WatchMessage = { revision: 4, watchId: 7, assetId: 1, user: 'ann', watching: true }
const { watches: topic } = internalTopics
const delivery = (data: unknown, of: string = topic) => ({
  topic: of,
  message: { id: 'm', key: 'k', type: 't', tenant: 'acme', time: '2026-01-01T00:00:00Z', position: '9', data },
  attempt: 1,
})

describe('given the local read models of a service', () => {
  it('then it has the topics and collections of the declaration', () => {
    expect(topicsOf(copies)).toEqual([topic])
    expect(collectionsOf(copies, topic)).toEqual(['watches'])
    expect(collectionsOf(copies, internalTopics.tables)).toEqual([])
  })

  it('when a message arrives, then its put runs between `before` and `after`', async () => {
    const steps: unknown[] = []
    const keep = keepingCopies({
      documents: { put: async (puts: readonly DocumentPut[]) => void steps.push(puts) },
      copies,
      before: { watches: async (tenant, { user }) => void steps.push(['before', tenant, user]) },
      after: { watches: async (tenant, { user }) => void steps.push(['after', tenant, user]) },
    })
    expect(await keep(delivery(watch))).toEqual(done)
    const put = [putOf('acme', watch, '9')]
    expect(steps).toEqual([['before', 'acme', 'ann'], put, ['after', 'acme', 'ann']])
  })

  it('when a message cannot be parsed, then it is parked with the reason and nothing is put', async () => {
    const keep = keepingCopies({ documents: { put: () => Promise.reject(new Error('It was put.')) }, copies })
    const damaged = delivery({ ...watch, watchId: 'seven' })
    expect(await keep(damaged)).toMatchObject({ kind: 'park', reason: expect.stringContaining('watchId') })
    expect(await keep(delivery(watch, internalTopics.tables))).toMatchObject({ kind: 'park' })
    expect(putOfMessage(copies, topic, damaged.message)).toBeUndefined()
    expect(putOfMessage(copies, topic, delivery(watch).message)).toEqual(putOf('acme', watch, '9'))
  })
})
