import { internalTopics, publicTopics, tagMessage } from '@assay/contracts'
import { documentPut } from '@assay/documents'
import { rebuild } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { annotationCollections } from './annotations.ts'
import { comments } from './comment/aggregate.ts'
import { catalogAggregates } from './service.ts'
import { column, createFakeEngine, file, folder } from './testing/fake-engine.ts'
import { type OpenCatalog, openCatalog } from './testing/harness.ts'

let catalog: OpenCatalog
let table: number
let email: number
const engine = createFakeEngine()
const sample = vi.fn<typeof engine.sample>()
engine.sample = sample
const people = () => file('in/people.csv', [column('id', 'BIGINT'), column('email'), column('born')])

beforeEach(async () => {
  engine.finds = [folder('in'), people()]
  sample.mockReset().mockRejectedValue(new AssayError('unprocessable', 'The file is gone.'))
  catalog = await openCatalog({ engine })
  await catalog.assembly('crm')
  table = (await catalog.byUid('crm.in.people.csv')).id
  email = (await catalog.byUid('crm.in.people.csv.email')).id
})
afterEach(() => catalog.close())

type Id = Parameters<typeof catalog.call>[0]
type Request = NonNullable<Parameters<typeof catalog.call>[1]>
const of = (id: number, request: Request = {}): Request => ({
  ...request,
  params: { id: String(id), ...request.params },
})
const ask = async (id: Id, request: Request = {}) => (await catalog.call(id, request)).body
const tag = (assetId: number, body: unknown, more: Request = {}) => ask('addAssetTag', of(assetId, { body, ...more }))
const namesOf = async (assetId: number) =>
  (await ask('getAssetTags', of(assetId))).assetTags.map(({ name }: { name: string }) => name)

describe('tags of an asset', () => {
  it('given a new name, when it is added, again and by id, then it is one tag and one association', async () => {
    const added = await tag(table, { name: '  pii ', id: null })
    expect(added).toEqual({
      id: expect.any(Number),
      assetId: table,
      tagId: expect.any(Number),
      name: 'pii',
      state: 'ACCEPTED',
      autoTagged: false,
      protectedData: false,
      domains: [],
      tenantId: null,
      uid: null,
    })
    expect(await tag(table, { name: 'pii' })).toEqual(added)
    expect(await tag(table, { id: added.tagId, name: null })).toEqual(added)
    expect(await ask('getAssetTags', of(table))).toEqual({ assetTags: [added] })
  })

  it.each([
    {},
    { name: null, id: null },
    { name: 'a', id: 1 },
    { name: ' ' },
    { name: 'x'.repeat(129) },
    { name: 'a\0' },
  ])('given %j, then it is refused', async (body) => {
    await expect(tag(table, body)).rejects.toThrow()
  })

  it('given an unknown tag or asset, then 404; taking away what is not there is false', async () => {
    await expect(tag(table, { id: 999 })).rejects.toMatchObject({ code: 'not-found' })
    await expect(tag(999, { name: 'x' })).rejects.toMatchObject({ code: 'not-found' })
    await expect(ask('getAssetTags', of(999))).rejects.toMatchObject({ code: 'not-found' })
    const { tagId } = await tag(table, { name: 'x' })
    const remove = (id: number) => ask('deleteAssetTag', of(table, { params: { tagId: String(id) } }))
    expect([await remove(tagId), await remove(tagId), await remove(999)]).toEqual([true, false, false])
    expect(await namesOf(table)).toEqual([])
  })

  it('given many writers at once, then a name is one tag', async () => {
    const added = await Promise.all(
      Array.from({ length: 40 }, (_, index) => tag(index % 2 ? table : email, { name: 'new' })),
    )
    expect(new Set(added.map(({ tagId }) => tagId)).size).toBe(1)
    expect(new Set(added.map(({ id }) => id)).size).toBe(2)
    const made = await Promise.allSettled(
      Array.from({ length: 20 }, () => ask('createTag', { body: { name: 'made' } })),
    )
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('given a tag, when it is renamed and protected, then that shows everywhere', async () => {
    const { tagId } = await tag(email, { name: 'pii' })
    await ask('updateTag', of(tagId, { body: { name: 'personal', protectedData: true } }))
    expect((await ask('getAssetTags', of(email))).assetTags).toMatchObject([{ name: 'personal', protectedData: true }])
    expect((await ask('listTags')).tags).toMatchObject([{ id: tagId, name: 'personal' }])
    const { childAssets } = await ask('getChildAssets', of(table))
    expect(childAssets.map((child: { protected: boolean }) => child.protected)).toEqual([false, true, false])
    // Its old name is free.
    expect((await ask('createTag', { body: { name: 'pii' } })).id).not.toBe(tagId)
    await expect(ask('updateTag', of(tagId, { body: { name: 'pii' } }))).rejects.toMatchObject({ code: 'taken' })
    await expect(ask('updateTag', of(999, { body: {} }))).rejects.toMatchObject({ code: 'not-found' })
  })

  it('given two tags, when they are merged, then what carried either carries the one, once, and stays protected', async () => {
    const { id: from } = await ask('createTag', { body: { name: 'pii', protectedData: true } })
    const { id: into } = await ask('createTag', { body: { name: 'personal' } })
    await tag(email, { id: from })
    await tag(table, { id: from })
    await tag(table, { id: into })
    expect(await ask('mergeTag', of(from, { body: { into } }))).toMatchObject({ id: into, protectedData: true })
    expect([await namesOf(email), await namesOf(table)]).toEqual([['personal'], ['personal']])
    expect((await ask('listTagsOfAssets', { query: { size: '0' } })).metadata.count).toBe(1)
    // An id that somebody kept stands for the other.
    expect(await ask('deleteAssetTag', of(email, { params: { tagId: String(from) } }))).toBe(true)
    expect((await tag(email, { name: 'pii' })).tagId).not.toBe(from)
    await expect(ask('mergeTag', of(into, { body: { into } }))).rejects.toMatchObject({ code: 'invalid' })
    await expect(ask('mergeTag', of(into, { body: { into: 999 } }))).rejects.toMatchObject({ code: 'invalid' })
    await expect(ask('mergeTag', of(999, { body: { into } }))).rejects.toMatchObject({ code: 'not-found' })
  })

  it('given another tenant, then it sees neither tags nor assets', async () => {
    const { tagId } = await tag(table, { name: 'pii' })
    const tenant = 'other'
    expect(await ask('listTags', { tenant })).toMatchObject({ tags: [], metadata: { count: 0 } })
    await expect(tag(table, { name: 'pii' }, { tenant })).rejects.toMatchObject({ code: 'not-found' })
    await expect(ask('updateTag', of(tagId, { tenant, body: {} }))).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('the tag service', () => {
  it('given a key with values, then they are tags of assets, and tags of assets are values', async () => {
    const made = await ask('createTagKey', { body: { key: 'class', values: ['open', 'secret'], type: 'GOVERNED' } })
    expect(made.key).toMatchObject({ id: '1', name: 'class', type: 'GOVERNED', status: 'ACTIVE' })
    const ids = made.values.map(({ keyValueId }: { keyValueId: string }) => Number(keyValueId))
    await expect(ask('createTagKey', { body: { key: 'class' } })).rejects.toMatchObject({ code: 'taken' })
    const more = await ask('addTagValues', { params: { keyId: '1' }, body: { values: ['secret', 'top'] } })
    expect(more.values.map(({ keyValueId }: { keyValueId: string }) => keyValueId)[0]).toBe(String(ids[1]))
    const wanted = { entityId: table, entityType: 'ASSET', keyValueIds: [ids[1], 999] }
    const associated = await ask('associateTags', { body: wanted })
    const detail = { keyValueId: ids[1], keyId: 1, keyName: 'class', keyType: 'GOVERNED', valueName: 'secret' }
    expect(associated).toMatchObject({ created: [detail], errors: [{ keyValueId: 999, code: 'NOT_FOUND' }] })
    expect(await namesOf(table)).toEqual(['class:secret'])
    const simple = await tag(table, { name: 'plain' })
    expect(await ask('listTagAssociations', of(table, { query: { entityType: 'ASSET' } }))).toMatchObject([
      detail,
      { keyValueId: simple.tagId, keyId: null, keyName: null, valueName: 'plain' },
    ])
    const found = async (query: { [name: string]: string }) =>
      (await ask('searchTagValues', { query })).results.map(({ value }: { value: string }) => value)
    expect(await found({ keyName: 'CLA' })).toEqual(['open', 'secret', 'top'])
    expect(await found({ keyType: 'governed', value: 'op', sortBy: 'value:DESC' })).toEqual(['top', 'open'])
    expect(await found({ keyType: 'USER' })).toEqual([])
    expect(await found({ keyValueIds: String(simple.tagId) })).toEqual(['plain'])
    expect(await ask('searchTagValues', { query: { size: '1' } })).toMatchObject({ total: 4, page: 0, size: 1 })
  })

  it('given what has no tags here, or is not there, then it says so', async () => {
    const body = { entityId: table, entityType: 'LABELER', keyValueIds: [1] }
    const refused = { code: 'unprocessable', message: 'entityType: LABELER has no tags. Use ASSET or POLICY.' }
    await expect(ask('associateTags', { body })).rejects.toMatchObject(refused)
    const query = { entityType: 'LABELER' }
    await expect(ask('listTagAssociations', of(table, { query }))).rejects.toMatchObject(refused)
    await expect(ask('addTagValues', { params: { keyId: '9' }, body: { values: ['x'] } })).rejects.toMatchObject({
      code: 'not-found',
    })
    await expect(ask('listTagAssociations', of(999, { query: { entityType: 'ASSET' } }))).rejects.toMatchObject({
      code: 'not-found',
    })
  })
})

describe('labels', () => {
  it('given a list, then it replaces the one before, with exactly two fields', async () => {
    const labels = [
      { key: 'b', value: '1', labelType: null, other: 5 },
      { key: 'a', value: '' },
    ]
    const list = [
      { key: 'b', value: '1' },
      { key: 'a', value: '' },
    ]
    expect(await ask('updateAssetLabels', of(table, { body: { labels } }))).toEqual(list)
    expect(await ask('getAssetLabels', of(table))).toEqual(list)
    expect(await ask('updateAssetLabels', of(table, { body: { labels: [] } }))).toEqual([])
    expect(await ask('getAssetLabels', of(table))).toEqual([])
    await expect(ask('getAssetLabels', of(999))).rejects.toMatchObject({ code: 'not-found' })
    const twice = {
      labels: [
        { key: 'a', value: '1' },
        { key: 'a', value: '2' },
      ],
    }
    await expect(ask('updateAssetLabels', of(table, { body: twice }))).rejects.toThrow()
  })
})

describe('comments and votes', () => {
  const write = (body: unknown, more: Request = {}) => ask('addAssetComment', of(table, { body, ...more }))
  const change = (id: number, more: Request): Request => of(table, { ...more, params: { commentId: String(id) } })

  it('given more comments than are read at once, when all are asked for, then all are there, oldest first', async () => {
    const at = '2026-01-01T00:00:00.000Z'
    const puts = Array.from({ length: 2_100 }, (_, index) =>
      documentPut(
        comments,
        'default',
        index + 1,
        {
          id: index + 1,
          assetId: table,
          parentId: null,
          comment: `c${index}`,
          author: 'a',
          createdAt: at,
          updatedAt: at,
        },
        { revision: 0, position: '1' },
      ),
    )
    await catalog.documents.put(puts)
    const told = (await ask('getAssetComments', of(table))).comments.map(({ comment }: { comment: string }) => comment)
    expect(told).toEqual(puts.map((_, index) => `c${index}`))
  })

  it('given comments, then they are told in both forms, and only their author changes them', async () => {
    const first = await write({ comment: 'hi' })
    const second = await write({ comment: 'ho', parentId: first.id }, { user: 'bob' })
    expect(second).toMatchObject({ parentId: first.id, userName: 'bob' })
    const edit = (more: Request) => ask('editAssetComment', change(second.id, { body: { comment: 'he' }, ...more }))
    await expect(edit({ user: 'ann' })).rejects.toMatchObject({ code: 'forbidden' })
    expect(await edit({ user: 'bob' })).toMatchObject({ comment: 'he' })
    await edit({ user: 'ann', permissions: ['ASSET_CONFIGURATION_MODIFY'] })
    const { comments } = await ask('getAssetComments', of(table))
    const fields = ['comment', 'createdAt', 'updatedAt', 'userName']
    expect(comments.map((each: object) => Object.keys(each).sort())).toEqual([fields, fields])
    expect((await ask('listCommentThreads', of(table, { query: { size: '1', page: '1' } }))).data).toMatchObject([
      { id: second.id, parentId: first.id, comment: 'he' },
    ])
    await ask('deleteAssetComment', change(second.id, { user: 'bob' }))
    await ask('deleteAssetComment', change(first.id, {}))
    await expect(ask('deleteAssetComment', change(first.id, {}))).rejects.toMatchObject({ code: 'not-found' })
    expect((await ask('getAssetActivity', of(table))).commentCount).toBe(0)
    await expect(write({ comment: 'x', parentId: first.id })).rejects.toMatchObject({ code: 'invalid' })
  })

  it('given replies, when what they reply to is deleted by its author, then they go with it, whoever wrote them', async () => {
    const first = await write({ comment: 'hi' })
    const other = await write({ comment: 'something else' })
    const reply = await write({ comment: 'ho', parentId: first.id })
    const deeper = await write({ comment: 'he', parentId: reply.id }, { user: 'bob' })
    const remove = (more: Request = {}) => ask('deleteAssetComment', change(first.id, more))
    await expect(remove({ user: 'bob' })).rejects.toMatchObject({ code: 'forbidden' })
    const threads = async () => (await ask('listCommentThreads', of(table))).data.map(({ id }: { id: number }) => id)
    expect(await threads()).toEqual([first.id, other.id, reply.id, deeper.id])
    await remove()
    expect(await threads()).toEqual([other.id])
    const deleted = (await catalog.events('comment')).filter(({ type }) => type === 'CommentDeleted')
    expect(deleted.map(({ data }) => [data.commentId, data.deletedWith, data.by])).toEqual([
      [deeper.id, first.id, 'ann'],
      [reply.id, first.id, 'ann'],
      [first.id, undefined, 'ann'],
    ])
  })

  it('given replies that are written while their parent is deleted, then none is left behind alone', async () => {
    const { id: parentId } = await write({ comment: 'hi' })
    const replies = Array.from({ length: 8 }, (_, at) => write({ comment: `r${at}`, parentId }, { user: 'bob' }))
    const [, ...written] = await Promise.allSettled([ask('deleteAssetComment', change(parentId, {})), ...replies])
    for (const each of written) if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'invalid' })
    expect((await ask('getAssetComments', of(table))).comments).toEqual([])
  })

  it('given votes, then one counts for each user', async () => {
    const vote = (value: string, user: string) => ask('voteOnAsset', of(table, { user, body: { vote: value } }))
    await Promise.all(Array.from({ length: 12 }, (_, index) => vote('UP', `user${index % 6}`)))
    await vote('DOWN', 'user0')
    await vote('NONE', 'user1')
    expect(await ask('getAssetActivity', of(table, { user: 'user0' }))).toEqual({
      upVoteCount: 4,
      downVoteCount: 1,
      commentCount: 0,
      upvoted: false,
      downvoted: true,
    })
  })

  it('given an asset that is not there, then it is told in the words of one that is hidden', async () => {
    for (const id of ['getAssetActivity', 'getAssetComments', 'listCommentThreads'] as const)
      await expect(ask(id, of(999))).rejects.toThrow(/not see it/)
  })
})

describe('the configuration', () => {
  const put = async (body: unknown) => (await ask('updateAssetConfiguration', of(table, { body }))).assetConfiguration
  it('given a description, then the asset has it, and a crawl leaves it alone', async () => {
    expect(await put({ assetConfiguration: { description: 'People', owner: 'ann' } })).toMatchObject({ owner: ['ann'] })
    expect(await put({ owner: ['ann', 'bob'] })).toMatchObject({ owner: ['ann', 'bob'] })
    expect(await put({ owner: '', team: ['a'], description: null })).toMatchObject({ owner: null, team: ['a'] })
    engine.finds = [folder('in'), file('in/people.csv', [column('id', 'BIGINT')])]
    const { assembly } = await catalog.byUid('crm.in.people.csv')
    await catalog.crawl(assembly.id)
    expect((await ask('getAsset', of(table))).data.description).toBe('People')
    expect((await ask('listAssets', { query: { ids: String(table) } })).data[0].description).toBe('People')
  })
  it('given resources, then they are shown with the list of refused fields, which is empty', async () => {
    const { sparkResourceConfig } = await put({ sparkResourceConfig: { livy: { driverCores: 2 }, dataproc: null } })
    expect(sparkResourceConfig).toEqual({
      livy: { driverCores: 2 },
      ...{ additionalConfiguration: null, yunikorn: null, databricks: null, dataproc: null },
      invalidFields: [],
    })
    const read = async () => (await ask('getAssetConfiguration', of(table))).assetConfiguration.sparkResourceConfig
    await put({ owner: 'ann' })
    expect(await read()).not.toBeNull()
    await put({ sparkResourceConfig: null })
    expect(await read()).toBeNull()
  })
  it('given a column and a strategy, then they are the stored marker', async () => {
    const marker = await put({ incrementalColumn: 'id', strategy: 'idmarkerconfig' })
    expect(marker).toMatchObject({
      strategy: 'IdMarkerConfig',
      markerConfiguration: { type: 'IdMarkerConfig', columnName: 'id' },
    })
    await expect(put({ incrementalColumn: 'email' })).rejects.toThrow(/^incrementalColumn: /)
    await expect(put({ incrementalColumn: 'none' })).rejects.toThrow(/^incrementalColumn: /)
    await expect(put({ strategy: 'DateTimeMarkerConfig' })).rejects.toThrow(/^strategy: /)
    await expect(put({ scheduled: true })).rejects.toThrow(/^schedule: /)
    await expect(put({ schedule: 'never' })).rejects.toThrow()
    expect((await ask('getAssetConfiguration', of(table))).assetConfiguration).toEqual(marker)
  })
  it('given keys of one’s own, then they stand behind what was crawled', async () => {
    const add = async (id: number, body: unknown) => (await ask('addCustomMetadata', of(id, { body }))).data.items
    expect((await add(table, { team: 'x', n: 5, none: null })).slice(-2)).toEqual([
      { key: 'n', value: '5', dataType: 'LONG', source: 'CUSTOM' },
      { key: 'team', value: 'x', dataType: 'STRING', source: 'CUSTOM' },
    ])
    const parent = (await catalog.byUid('crm.in')).id
    await expect(ask('getAssetMetadata', of(parent))).rejects.toMatchObject({ code: 'not-found' })
    await add(parent, { team: 'x' })
    expect((await ask('getAssetMetadata', of(parent))).data).toMatchObject({ columns: [], items: [{ key: 'team' }] })
  })
})

describe('inferred types', () => {
  const rows = [
    { id: 1, email: 'a@b.de', born: '1990-01-01' },
    { id: 2, email: null, born: '1991-01-01' },
  ]
  const typesOf = async (query: Request['query'] = { inferDataType: 'True' }) =>
    (await ask('getChildAssets', of(table, { query }))).childAssets.map(
      ({ dataType, bucketedDataType }: { dataType: string; bucketedDataType: string }) => [dataType, bucketedDataType],
    )
  it('given text that holds dates, then that is told where it is asked for, and looked at once', async () => {
    sample.mockResolvedValue({ fields: [], rows, warnings: { total: 0, first: [] } })
    const [first] = await Promise.all([typesOf(), typesOf()])
    expect(first).toEqual([
      ['BIGINT', 'NUMERIC'],
      ['VARCHAR', 'TEXT'],
      ['DATE', 'DATE'],
    ])
    expect((await typesOf({}))[2]).toEqual(['VARCHAR', 'TEXT'])
    expect(await ask('getInferredMetadata', of(table))).toEqual({
      data: [
        { name: 'id', dataType: 'BIGINT', nullable: true },
        { name: 'email', dataType: 'VARCHAR', nullable: true },
        { name: 'born', dataType: 'DATE', nullable: true },
      ],
    })
    expect(sample).toHaveBeenCalledTimes(1)
  })
  it('given a source that cannot be read, then what is declared is told, and nothing is inferred', async () => {
    expect((await typesOf())[2]).toEqual(['VARCHAR', 'TEXT'])
    expect(await ask('getInferredMetadata', of(table))).toEqual({ data: [] })
  })
  it('given a file with an id, then it has the strategies of both', async () => {
    const { strategies, incremental, selective } = await ask('getIncrementalStrategies', of(table))
    const types = (list: { type: string }[]) => list.map(({ type }) => type)
    expect(types(incremental.strategies)).toEqual(['IdMarkerConfig', 'FileEventMarkerConfig'])
    expect(types(selective.strategies)).toEqual(['bound', 'boundFileEvent'])
    expect(strategies).toHaveLength(4)
    expect((await ask('getIncrementalStrategies', of(email))).strategies).toEqual([])
  })
})

describe('the history', () => {
  it('given changes, then it tells who did what, newest first, and nothing of other assets', async () => {
    await tag(table, { name: 'pii' }, { user: 'bob' })
    await tag(email, { name: 'pii' })
    await ask('updateAssetLabels', of(table, { body: { labels: [{ key: 'a', value: '1' }] } }))
    const { data, meta } = await ask('getAssetHistory', of(table))
    expect(meta.count).toBe(3)
    expect(data.map(({ action, actor }: { action: string; actor: string }) => [action, actor])).toEqual([
      ['AssetLabelsReplaced', 'ann'],
      ['AssetTagAdded', 'bob'],
      ['AssetDiscovered', 'system'],
    ])
    expect(data[0]).toEqual({
      id: expect.any(String),
      at: expect.any(String),
      actor: 'ann',
      accessKey: 'key',
      action: 'AssetLabelsReplaced',
      entityType: 'LABEL',
      entityId: table,
      before: [],
      after: [{ key: 'a', value: '1' }],
    })
    await expect(ask('getAssetHistory', of(999))).rejects.toMatchObject({ code: 'not-found' })
  })
  it('given the log, when documents are made anew from it, then they are the same', async () => {
    const { tagId } = await tag(table, { name: 'pii' })
    await ask('deleteAssetTag', of(table, { params: { tagId: String(tagId) } }))
    await ask('updateAssetLabels', of(table, { body: { labels: [{ key: 'a', value: '1' }] } }))
    await ask('addAssetComment', of(table, { body: { comment: 'hi' } }))
    await ask('voteOnAsset', of(table, { body: { vote: 'UP' } }))
    await ask('updateAssetConfiguration', of(table, { body: { owner: 'ann' } }))
    engine.finds = [folder('in'), file('in/people.csv', [column('id', 'VARCHAR'), column('new')])]
    await catalog.crawl((await catalog.byUid('crm.in.people.csv')).assembly.id)
    const names = new Set(annotationCollections.map(({ name }) => name))
    const made = new Map<string, unknown>()
    await rebuild({
      store: catalog.store,
      aggregates: catalogAggregates,
      collections: annotationCollections,
      target: {
        begin: async () => {},
        put: async (puts) => {
          for (const { collection, id, document, source } of puts)
            if (names.has(collection.name) && document !== null)
              made.set(`${collection.name}/${id}`, [document, source])
        },
        commit: async () => {},
      },
    })
    const kept = new Map<string, unknown>()
    for (const collection of annotationCollections)
      for await (const { id, document, source } of catalog.documents.scan(collection))
        kept.set(`${collection.name}/${id}`, [document, source])
    expect([...made].sort()).toEqual([...kept].sort())
    expect(kept.size).toBeGreaterThan(10)
  })
})

describe('what is told to others', () => {
  it('given a tag on a column, then neighbours learn of both, and the world of the change', async () => {
    const { tagId, id: associationId } = await tag(email, { name: 'pii' })
    await ask('updateTag', of(tagId, { body: { protectedData: true } }))
    const told = () =>
      catalog.published
        .filter(({ topic }) => topic === internalTopics.tags)
        .map(({ message }) => tagMessage.parse(message.data))
    await vi.waitFor(() => expect(told().some((each) => each.kind === 'tag' && each.protected)).toBe(true), 10_000)
    const association = { kind: 'association', associationId, tagId, assetId: email, tableId: table, present: true }
    expect(told()).toContainEqual({ ...association, revision: 0 })
    const types = catalog.published
      .filter(({ topic }) => topic === publicTopics.assets)
      .map(({ message }) => message.type)
    expect(types).toEqual(expect.arrayContaining(['io.assay.catalog.TagCreated', 'io.assay.catalog.AssetTagAdded']))
  })
})

describe('routes of older clients', () => {
  it('given an assembly by name, then its crawler tells and starts', async () => {
    const params = { assemblyName: 'crm' }
    expect(await ask('getCrawlerStatus', { params })).toEqual({ data: { assemblyName: 'crm', status: 'COMPLETED' } })
    engine.finds = ['wait']
    expect(await ask('startCrawler', { params })).toEqual({ data: { assemblyName: 'crm', isSuccess: true } })
    expect(await ask('startCrawler', { params })).toEqual({ data: { assemblyName: 'crm', isSuccess: false } })
    expect(await ask('getCrawlerStatus', { params })).toEqual({ data: { assemblyName: 'crm', status: 'RUNNING' } })
    await expect(ask('startCrawler', { params: { assemblyName: 'none' } })).rejects.toMatchObject({ code: 'not-found' })
  })
  it('given types, data planes and properties, then they are told in their forms', async () => {
    expect((await ask('listConnectionTypes')).data[0]).toEqual({ id: expect.any(Number), type: expect.any(String) })
    expect((await ask('getAnalyticsPipeline', { params: { identifier: '1' } })).pipeline.name).toBe('default')
    await expect(ask('getAnalyticsPipeline', { params: { identifier: 'x' } })).rejects.toMatchObject({
      code: 'not-found',
    })
    const read = (query: { [name: string]: string }) => ask('getAssembly', { params: { identifier: 'crm' }, query })
    expect((await read({ properties: 'True' })).data.assemblyProperties).toEqual({ path: '/data' })
    expect((await read({ properties: 'false' })).data.assemblyProperties).toBeNull()
    await expect(ask('listAssemblies', { query: { sourceType: 'PAPER' } })).rejects.toThrow(/^sourceType: /)
  })
})
