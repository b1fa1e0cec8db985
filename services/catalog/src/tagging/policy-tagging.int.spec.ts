import { publicTopics } from '@assay/contracts'
import { documentPut } from '@assay/documents'
import { createCommandHandler, createCommit, rebuild } from '@assay/event-store'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { policyTags, policyTagsAggregate } from '../policy-tags/aggregate.ts'
import { maxPolicyTags } from '../policy-tags/policy-tags.ts'
import { policyUses } from '../policy-uses/policy-uses.ts'
import { catalogAggregates } from '../service.ts'
import { tags } from '../tag/aggregate.ts'
import { type OpenCatalog, openCatalog } from '../testing/harness.ts'

type Request = NonNullable<Parameters<typeof catalog.call>[1]>

const policy = 7
let catalog: OpenCatalog

beforeEach(async () => {
  catalog = await openCatalog()
  await deliver(policy)
})
afterEach(() => catalog.close())

/** Delivers a message of the policy service about one of its policies. */
async function deliver(policyId: number, more: { archived?: boolean; revision?: number } = {}) {
  const { archived = false, revision = 1 } = more
  const use = { policyId, name: `p${policyId}`, archived, assetIds: [], udfIds: [] }
  await catalog.documents.put([documentPut(policyUses, 'default', policyId, use, { revision, position: '1' })])
}

/** Adds tags to the policy by one command. They exist only in the read model, which is fast. */
async function fill(count: number): Promise<number[]> {
  const { store, documents } = catalog
  const ids = Array.from({ length: count }, (_, index) => 1_000_000 + index)
  const at = '2026-11-20T10:00:00.000Z'
  const of = { status: 'active', keyId: null, keyName: null, protectedData: false, mergedIntoId: null } as const
  const made = { ...of, createdAt: at, createdBy: 'ann', updatedAt: at, updatedBy: 'ann' }
  await documents.put(
    ids.map((id) => documentPut(tags, 'default', id, { ...made, id, value: `t${id}` }, { revision: 0, position: '1' })),
  )
  const commit = createCommit(store, documents, (error) => {
    throw error
  })
  const handler = createCommandHandler({
    store,
    documents,
    commit,
    clock: systemClock,
    timers: systemTimers,
    newId: uuidV7,
  })
  const added = ids.map((tagId) => ({ tagId, tagName: `t${tagId}` }))
  const command = { type: 'AddPolicyTags', at, by: 'ann', policyId: policy, tags: added } as const
  await handler.handle(policyTagsAggregate, { tenant: 'default', id: policy, command, context: { actor: 'ann' } })
  return ids
}

const tagged = async (name: string): Promise<number> => (await catalog.call('createTag', { body: { name } })).body.id
const associate = async (keyValueIds: readonly number[], more: Request & { entityId?: number } = {}) => {
  const { entityId = policy, ...request } = more
  const body = { entityId, entityType: 'POLICY', keyValueIds }
  return (await catalog.call('associateTags', { body, ...request })).body
}
const list = async (id = policy, request: Request = {}) => {
  const asked = { params: { id: String(id) }, query: { entityType: 'POLICY' }, ...request }
  return (await catalog.call('listTagAssociations', asked)).body
}
const names = async (id = policy) => (await list(id)).map(({ valueName }) => valueName)
const tagEvents = () =>
  catalog.published
    .filter(({ topic }) => topic === publicTopics.assets)
    .map(({ message }) => Object(message.data))
    .filter(({ type }) => String(type).startsWith('io.assay.catalog.PolicyTag'))

describe('the tags of a policy', () => {
  it('given tags with and without a key, when they are added twice concurrently, then the policy has each once, in order', async () => {
    const made = await catalog.call('createTagKey', { body: { key: 'class', values: ['open'] } })
    const open = Number(made.body.values[0]?.keyValueId)
    const plain = await tagged('plain')
    const [first] = await Promise.all([associate([plain, open, 999]), associate([plain, open]), associate([plain])])
    const detail = { keyValueId: open, keyId: 1, keyName: 'class', keyType: 'USER', valueName: 'open' }
    const simple = { keyValueId: plain, keyId: null, keyName: null, keyType: null, valueName: 'plain' }
    expect(first).toMatchObject({
      created: [simple, detail],
      errors: [{ code: 'NOT_FOUND', keyValueId: 999, message: 'There is no such tag.' }],
    })
    expect(await list()).toEqual([
      { ...simple, valueStatus: 'ACTIVE' },
      { ...detail, valueStatus: 'ACTIVE' },
    ])
    expect(await associate([open])).toMatchObject({ created: [detail], errors: [] })
    await vi.waitFor(() => expect(tagEvents()).toHaveLength(2), 30_000)
    expect(tagEvents()[0]).toMatchObject({
      type: 'io.assay.catalog.PolicyTagAdded',
      subject: `policy/${policy}`,
      data: { policyId: policy, tagId: plain, tagName: 'plain', by: 'ann' },
    })
  })

  it('given a missing policy, or one of another tenant, then 404, and nothing is written', async () => {
    const id = await tagged('x')
    const missing = { code: 'not-found', message: 'There is no policy with the id 8.' }
    await expect(associate([id], { entityId: 8 })).rejects.toMatchObject(missing)
    await expect(list(8)).rejects.toMatchObject(missing)
    const other = { code: 'not-found', message: `There is no policy with the id ${policy}.` }
    await expect(associate([id], { tenant: 'other' })).rejects.toMatchObject(other)
    await expect(list(policy, { tenant: 'other' })).rejects.toMatchObject(other)
    expect(await names()).toEqual([])
  })

  it('given a key without the permission to see policies, then 403', async () => {
    const id = await tagged('x')
    const without = { permissions: ['TAGS_CREATE', 'TAGS_VIEW', 'ASSET_VIEW'] } as const
    const forbidden = { code: 'forbidden', message: 'This key lacks the permission POLICY_VIEW.' }
    await expect(associate([id], without)).rejects.toMatchObject(forbidden)
    await expect(associate([id], { ...without, entityId: 8 })).rejects.toMatchObject(forbidden)
    await expect(list(policy, without)).rejects.toMatchObject(forbidden)
  })

  it('given a policy that the caller has just created, when the message about it has not arrived, then the request waits for it', async () => {
    const id = await tagged('x')
    const answer = associate([id], { entityId: 8, seen: new Map([['policy', ['policy-8@5']]]) })
    await deliver(8, { revision: 5 })
    expect((await answer).created).toHaveLength(1)
  })

  it('given tags that are renamed and merged, then policies have the resulting tags, even archived ones', async () => {
    const [from, into, other] = [await tagged('from'), await tagged('into'), await tagged('other')]
    await deliver(8)
    await associate([from, other])
    await associate([from, into], { entityId: 8 })
    await catalog.call('updateTag', { params: { id: String(other) }, body: { name: 'renamed' } })
    await deliver(policy, { archived: true, revision: 2 })
    await catalog.call('mergeTag', { params: { id: String(from) }, body: { into } })
    expect(await names()).toEqual(expect.arrayContaining(['renamed', 'into']))
    expect([await names().then(({ length }) => length), await names(8)]).toEqual([2, ['into']])
    // The move continues after the answer, and at its end the merged tag is gone.
    await vi.waitFor(async () => {
      const { documents: left } = await catalog.documents.find(policyTags, 'default', {
        where: [{ field: 'tagId', is: from }],
        size: 1,
      })
      expect(left).toEqual([])
      const { body } = await catalog.call('searchTagValues', { query: { valueStatus: 'MERGED' } })
      expect(body.total).toBe(1)
    }, 30_000)
    await vi.waitFor(
      () =>
        expect(
          tagEvents()
            .filter(({ type }) => type.endsWith('Removed'))
            .map(({ data }) => data.policyId),
        ).toHaveLength(2),
      30_000,
    )
    // A merged tag's id resolves to the other one.
    expect((await associate([from])).created).toMatchObject([{ keyValueId: into }])
    expect(await names()).toHaveLength(2)
  })

  it('given the maximum number of tags, then more are refused, and existing ones are returned', async () => {
    const ids = await fill(maxPolicyTags - 1)
    const last = await tagged('last')
    expect((await associate([last])).errors).toEqual([])
    const more = await tagged('more')
    expect(await associate([last, more])).toMatchObject({
      created: [{ keyValueId: last }],
      errors: [{ code: 'LIMIT_REACHED', keyValueId: more, message: 'A policy has at most 1000 tags.' }],
    })
    expect((await list()).map(({ keyValueId }) => keyValueId)).toEqual([...ids, last])
  })

  it('given tags of policies, when their documents are rebuilt from the log, then they are the same as before', async () => {
    const [from, into, other] = [await tagged('from'), await tagged('into'), await tagged('other')]
    await deliver(8)
    await associate([other, from])
    await associate([into], { entityId: 8 })
    await catalog.call('mergeTag', { params: { id: String(from) }, body: { into } })
    await vi.waitFor(async () => {
      const { count } = await catalog.documents.find(policyTags, 'default', {
        where: [{ field: 'tagId', is: from }],
        size: 0,
      })
      expect(count).toBe(0)
    }, 30_000)
    const rebuilt = new Map<string, unknown>()
    await rebuild({
      store: catalog.store,
      aggregates: catalogAggregates,
      collections: [policyTags],
      target: {
        begin: async () => {},
        put: async (puts) => {
          for (const { collection, id, document, source } of puts)
            if (collection.name === policyTags.name && document !== null) rebuilt.set(String(id), [document, source])
        },
        commit: async () => {},
      },
    })
    const stored = new Map<string, unknown>()
    for await (const { id, document, source } of catalog.documents.scan(policyTags))
      stored.set(String(id), [document, source])
    expect([...rebuilt].sort()).toEqual([...stored].sort())
    expect(stored.size).toBe(3)
  })
})
