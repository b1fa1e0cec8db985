import type { SampleAnswer } from '@assay/contracts'
import { rebuild } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sampleJobs } from './asset-samples/aggregate.ts'
import { mostEnded } from './asset-samples/decide.ts'
import { samplingAggregates } from './service.ts'
import { rowsFixture } from './testing/fake-engine.ts'
import { type Harness, openHarness, tableFixture } from './testing/harness.ts'

const minute = 60_000
const hour = 60 * minute

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
})
afterEach(() => harness.close())

const ended = (requestId: string): Promise<SampleAnswer> =>
  vi.waitFor(async () => {
    const answer = await harness.result(requestId)
    expect(answer.jobExecutionStatus).not.toBe('IN_PROGRESS')
    return answer
  })
const sampled = async (id: number) => ended((await harness.request(id)).requestId)

describe('a request', () => {
  it('given an asset, when its rows are asked for, then a job is under way, and its result has them', async () => {
    harness.engine.next = { kind: 'rows', rows: rowsFixture(150) }
    const asked = await harness.request(11)
    expect(asked).toMatchObject({ jobExecutionStatus: 'IN_PROGRESS', sampleData: { schema: { fields: [] }, data: [] } })
    const answer = await ended(asked.requestId)
    expect(answer).toMatchObject({ jobExecutionStatus: 'SUCCESSFUL', errorMsg: null, executionId: null })
    expect(answer.sampleData.data).toHaveLength(100)
    expect(answer.sampleData.schema.fields.map(({ name }) => name)).toEqual(['id', 'note'])
  })

  it('given a column, then it has that column only', async () => {
    const { sampleData } = await sampled(13)
    expect(sampleData.schema.fields).toEqual([{ name: 'note', type: 'VARCHAR', nullable: true }])
    expect(sampleData.data).toEqual([{ note: 'row 0' }, { note: 'row 1' }, { note: 'row 2' }])
  })

  it('given a field inside of a column, then it has that field only, and is hidden as its column is', async () => {
    const columns = [{ id: 21, uid: 'events.user', name: 'user', dataType: 'STRUCT(address STRUCT(zip VARCHAR))' }]
    const leaves = [
      { id: 22, path: ['user', 'address'], dataType: 'STRUCT(zip VARCHAR)' },
      { id: 23, path: ['user', 'address', 'zip'], dataType: 'VARCHAR' },
    ]
    await harness.table(tableFixture({ assetId: 20, uid: 'events', columns, leaves }))
    const fields = [{ name: 'user', type: columns[0]?.dataType ?? '', nullable: true }]
    const users = [{ address: { zip: '01' } }, { address: null }, null]
    const rows = { fields, rows: users.map((user) => ({ user })), warnings: { total: 0, first: [] } }
    harness.engine.next = { kind: 'rows', rows }
    expect((await sampled(22)).sampleData.data).toEqual([
      { address: { zip: '01' } },
      { address: null },
      { address: null },
    ])
    const { sampleData } = await sampled(23)
    expect(sampleData.schema.fields).toEqual([{ name: 'zip', type: 'VARCHAR', nullable: true }])
    expect(sampleData.data).toEqual([{ zip: '01' }, { zip: null }, { zip: null }])

    await harness.tag({ kind: 'tag', revision: 0, tagId: 5, name: 't', protected: true, mergedIntoId: null })
    const carry = (assetId: number, revision: number, present = true) =>
      harness.tag({ kind: 'association', revision, associationId: assetId, tagId: 5, assetId, tableId: 20, present })
    const seen = async () => (await harness.request(23, { permissions: ['ASSET_VIEW'] })).sampleData.data[0]
    for (const assetId of [20, 21, 22, 23]) {
      await carry(assetId, 0)
      expect(await seen(), String(assetId)).toEqual({ zip: '***' })
      await carry(assetId, 1, false)
      expect(await seen(), String(assetId)).toEqual({ zip: '01' })
    }
    const changed = { ...rows, rows: [{ user: { address: { postcode: '01' } } }] }
    harness.engine.next = { kind: 'rows', rows: changed }
    const { requestId } = await harness.request(23, { invalidateCache: true })
    expect((await ended(requestId)).errorMsg).toContain("no longer has the column 'user.address.zip'")
  })

  it('given a hundred at once, then they share one job', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => harness.request(11)))
    expect(new Set(answers.map(({ requestId }) => requestId)).size).toBe(1)
    await ended(answers[0]?.requestId ?? '')
    expect(harness.engine.asked).toBe(1)
  })

  it('given a hundred at two processes, then they share one job', async () => {
    const services = [harness.first, await harness.another()]
    const answers = await Promise.all(
      services.flatMap((service) => Array.from({ length: 50 }, () => harness.request(11, { service }))),
    )
    expect(new Set(answers.map(({ requestId }) => requestId)).size).toBe(1)
    expect((await ended(answers[0]?.requestId ?? '')).jobExecutionStatus).toBe('SUCCESSFUL')
  })

  it.each([10, 99])('given the asset %i that is not there, then 404', async (id) => {
    await expect(harness.request(id)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('given a table that its source has no more, or one of another tenant, then 404', async () => {
    await expect(harness.request(11, { tenant: 'other' })).rejects.toMatchObject({ code: 'not-found' })
    await harness.table(tableFixture({ revision: 1, isDeleted: true }))
    for (const id of [11, 13]) await expect(harness.request(id)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('given a request id of another tenant or none at all, then 404', async () => {
    const { requestId } = await sampled(11)
    await expect(harness.result(requestId, { tenant: 'other' })).rejects.toMatchObject({ code: 'not-found' })
    await expect(harness.result('nothing')).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('rows that are kept', () => {
  it('given rows of the last hour, then they are the answer; after it the data is looked at again', async () => {
    const { requestId, sampleData } = await sampled(11)
    harness.clock.time += hour - 1
    const again = await harness.request(11)
    expect(again).toMatchObject({ requestId, jobExecutionStatus: 'SUCCESSFUL', sampleData })
    harness.clock.time += 1
    const later = await harness.request(11)
    expect(later.jobExecutionStatus).toBe('IN_PROGRESS')
    await ended(later.requestId)
    expect(harness.engine.asked).toBe(2)
    // The first rows can still be read by their request.
    expect(await harness.result(requestId)).toMatchObject({ jobExecutionStatus: 'SUCCESSFUL' })
  })

  it('given invalidateCache, then the data is looked at again, and what is under way is shared', async () => {
    const { requestId } = await sampled(11)
    harness.engine.next = { kind: 'rows', rows: rowsFixture(7) }
    const fresh = await Promise.all([1, 2].map(() => harness.request(11, { invalidateCache: true })))
    expect(new Set(fresh.map((answer) => answer.requestId)).size).toBe(1)
    expect(fresh[0]?.requestId).not.toBe(requestId)
    expect((await ended(fresh[0]?.requestId ?? '')).sampleData.data).toHaveLength(7)
    expect((await harness.request(11)).sampleData.data).toHaveLength(7)
  })

  it('given rows that somebody removed from the result folder, then the data is looked at again', async () => {
    const { requestId } = await sampled(11)
    await harness.artifacts.remove(`default/samples/${requestId}`)
    await expect(harness.result(requestId)).rejects.toMatchObject({ code: 'not-found' })
    expect((await sampled(11)).jobExecutionStatus).toBe('SUCCESSFUL')
    expect(harness.engine.asked).toBe(2)
  })

  it('given 24 hours have passed, then job and rows are forgotten', async () => {
    const { requestId } = await sampled(11)
    const another = await sampled(13)
    harness.clock.time += 24 * hour
    harness.timers.tick()
    expect((await harness.result(requestId)).jobExecutionStatus).toBe('SUCCESSFUL')
    harness.clock.time += 1
    await vi.waitFor(async () => {
      harness.timers.tick()
      await expect(harness.result(requestId)).rejects.toMatchObject({ code: 'not-found' })
      await expect(harness.result(another.requestId)).rejects.toMatchObject({ code: 'not-found' })
    })
    expect(await harness.artifacts.list('default/samples')).toEqual([])
  })
})

describe('what is protected', () => {
  const viewer = { permissions: ['ASSET_VIEW'] } as const
  const tag = (tagId: number, isProtected: boolean, mergedIntoId: number | null = null, revision = 0) =>
    harness.tag({ kind: 'tag', revision, tagId, name: `t${tagId}`, protected: isProtected, mergedIntoId })
  const carry = (assetId: number, tagId: number, present = true, revision = 0) =>
    harness.tag({ kind: 'association', revision, associationId: assetId, tagId, assetId, tableId: 11, present })
  const notes = async () => {
    const { requestId } = await sampled(11)
    const cached = await harness.request(11, viewer)
    expect(cached.sampleData).toEqual((await harness.result(requestId, viewer)).sampleData)
    return cached.sampleData.data[0]
  }

  it('given a protected column, then it is masked, in what is kept too, but not from who may see it', async () => {
    await sampled(11)
    await tag(5, true)
    await carry(13, 5)
    expect(await notes()).toEqual({ id: 0, note: '***' })
    expect((await harness.request(13, viewer)).jobExecutionStatus).toBe('IN_PROGRESS')
    expect((await harness.request(11)).sampleData.data[0]).toEqual({ id: 0, note: 'row 0' })
    // Which rows a condition leaves would tell what is hidden.
    const told = harness.request(11, { ...viewer, filter: "note = 'row 1'" })
    await expect(told).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('filter') })
    expect((await harness.request(11, { filter: "note = 'row 1'" })).jobExecutionStatus).toBe('IN_PROGRESS')
    await carry(13, 5, false, 1)
    expect(await notes()).toEqual({ id: 0, note: 'row 0' })
  })
  it('given the tag is not protected, is merged into one that is, or not told of yet', async () => {
    await tag(5, false)
    await carry(13, 5)
    expect(await notes()).toEqual({ id: 0, note: 'row 0' })
    await tag(6, true)
    await tag(5, false, 6, 1)
    expect(await notes()).toEqual({ id: 0, note: '***' })
    await carry(13, 5, false, 1)
    await carry(12, 77)
    expect(await notes()).toEqual({ id: '***', note: 'row 0' })
  })
  it('given the table is, then all of it', async () => {
    await tag(5, true)
    await carry(11, 5)
    expect(await notes()).toEqual({ id: '***', note: '***' })
  })

  const source = (assetId: number, more: object = {}) =>
    harness.table({ ...tableFixture(), assetId, uid: `sales.${assetId}`, columns: [], ...more })
  const view = (sourceIds: number[] | undefined, revision = 1) =>
    harness.table(
      tableFixture({
        revision,
        locator: { kind: 'query', sql: 'SELECT', tables: [], columns: [], fingerprint: String(revision) },
        ...(sourceIds === undefined ? {} : { sourceIds }),
      }),
    )
  const carrySource = (tableId: number, assetId: number, present = true, revision = 0) =>
    harness.tag({ kind: 'association', revision, associationId: 900, tagId: 5, assetId, tableId, present })
  const open = { id: 0, note: 'row 0' }
  const hidden = { id: '***', note: '***' }

  it.each(['first the view', 'first the tag'])(
    '%s: given a column of what a view reads, then all of the view',
    async (order) => {
      await source(50)
      if (order === 'first the view') {
        await view([50])
        expect(await notes()).toEqual(open)
      }
      await tag(5, true)
      await carrySource(50, 51)
      if (order === 'first the tag') await view([50])
      expect(await notes()).toEqual(hidden)
      expect((await harness.request(11)).sampleData.data[0]).toEqual(open)
      await carrySource(50, 51, false, 1)
      expect(await notes()).toEqual(open)
    },
  )
  it('given a view of a view, then what is at its end counts, also where they read each other', async () => {
    await source(50, { sourceIds: [11, 60] })
    await source(60)
    await view([50])
    await tag(5, true)
    expect(await notes()).toEqual(open)
    await carrySource(60, 60)
    expect(await notes()).toEqual(hidden)
  })
  it('given a view that does not tell what it reads, then it may be anything', async () => {
    await view(undefined)
    expect(await notes()).toEqual(hidden)
  })
  it('given a view that was changed, then rows of then stay hidden, and are not those of now', async () => {
    await source(50)
    await source(60)
    await view([50])
    const { requestId } = await sampled(11)
    await view([60], 2)
    await tag(5, true)
    await carrySource(50, 51)
    expect((await harness.result(requestId, viewer)).sampleData.data[0]).toEqual(hidden)
    const asked = await harness.request(11, viewer)
    expect(asked.requestId).not.toBe(requestId)
    expect(
      (await ended(asked.requestId)) && (await harness.result(asked.requestId, viewer)).sampleData.data[0],
    ).toEqual(open)
  })
})

describe('transforms', () => {
  const template = (udfId: number, language = 'EXPRESSION') =>
    harness.tag({
      revision: 0,
      udfId,
      name: `udf ${udfId}`,
      language,
      udfType: 'TRANSFORM',
      udfDataType: 'STRING',
      code: 'upper(${c}) || ${suffix}',
      variables: [
        { key: 'c', value: null, isColumnVariable: true },
        { key: 'suffix', value: '!', isColumnVariable: false },
      ],
      isDeleted: false,
    })
  const loud = { udfId: 5, name: 'loud', parameters: [{ key: 'c', value: 'note' }] }
  const louder = {
    udfId: 5,
    parameters: [
      { key: 'c', value: 'id' },
      { key: 'suffix', value: '?' },
    ],
  }

  it('given templates, then the engine is asked for their columns, by a job that others with the same share', async () => {
    await template(5)
    await sampled(11)
    const both = [loud, louder]
    const asked = await Promise.all([1, 2].map(() => harness.request(11, { transformUDFs: both })))
    expect(new Set(asked.map(({ requestId }) => requestId)).size).toBe(1)
    await ended(asked[0]?.requestId ?? '')
    expect(harness.engine.asked).toBe(2)
    expect(harness.engine.dataset).toMatchObject({
      kind: 'query',
      sql: expect.stringContaining('upper(${t1_c}) || ${t1_suffix}\n) AS "udf 5"'),
      variables: { c: { column: 'note' }, suffix: { text: '!' }, t1_c: { column: 'id' }, t1_suffix: { text: '?' } },
      tables: [{ name: 'assay_rows', dataset: { kind: 'files' } }],
    })
    expect((await harness.request(11, { transformUDFs: both })).jobExecutionStatus).toBe('SUCCESSFUL')
    expect((await harness.request(11, { transformUDFs: [loud] })).jobExecutionStatus).toBe('IN_PROGRESS')
  })
  it('given an expression that is none, then the job fails with the reason', async () => {
    await template(5)
    harness.engine.refuses = 'there is no column nothing'
    const { requestId } = await harness.request(11, { transformUDFs: [loud] })
    expect(await ended(requestId)).toMatchObject({
      jobExecutionStatus: 'FAILED',
      errorMsg: "The transform 'loud': there is no column nothing",
    })
  })
  it.each([
    ['no such template', { udfId: 9 }, 'transformUDFs[0].udfId'],
    ['another language', { udfId: 6 }, 'transformUDFs[0].udfId'],
    ['a name that is taken', { ...loud, name: 'Note' }, 'transformUDFs[0].name'],
  ])('given %s, then 400 with the field', async (_, each, field) => {
    await template(5)
    await template(6, 'PYTHON')
    await expect(harness.request(11, { transformUDFs: [each] })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining(field),
    })
  })
})

describe('a filter', () => {
  it('given one, then the engine gets it, and other rows need another job', async () => {
    await sampled(11)
    const { requestId } = await harness.request(11, { filter: '  id > 1 ' })
    expect(await ended(requestId)).toMatchObject({ jobExecutionStatus: 'SUCCESSFUL' })
    expect(harness.engine.filter).toBe('id > 1')
    expect((await harness.request(11, { filter: 'id > 1' })).requestId).toBe(requestId)
    expect((await harness.request(11, { filter: 'id > 2' })).jobExecutionStatus).toBe('IN_PROGRESS')
    expect((await harness.request(11, { filter: '  ' })).jobExecutionStatus).toBe('SUCCESSFUL')
  })
  it('given the engine refuses it, then the job fails with the reason', async () => {
    const error = new AssayError('invalid', 'filter: there is no column nothing')
    harness.engine.next = { kind: 'fail', error }
    const { requestId } = await harness.request(11, { filter: 'nothing > 1' })
    expect(await ended(requestId)).toMatchObject({
      jobExecutionStatus: 'FAILED',
      errorMsg: 'filter: there is no column nothing',
    })
  })
  it('given it fails at a value, then a key that may not see that is not told of it, and neither is the world', async () => {
    const error = new AssayError('invalid', "filter: Conversion Error: Could not convert string 'row 1' to INT32")
    harness.engine.next = { kind: 'fail', error }
    const { requestId } = await harness.request(11, { filter: 'note::INT > 1' })
    expect((await ended(requestId)).errorMsg).toContain('row 1')
    const viewer = { permissions: ['ASSET_VIEW' as const] }
    expect((await harness.result(requestId, viewer)).errorMsg).toContain('row 1')
    await harness.tag({ kind: 'tag', revision: 0, tagId: 5, name: 't', protected: true, mergedIntoId: null })
    const association = { revision: 0, associationId: 13, tagId: 5, assetId: 13, tableId: 11, present: true }
    await harness.tag({ kind: 'association', ...association })
    expect((await harness.result(requestId, viewer)).errorMsg).toMatch(/^filter: Conversion Error\. More is not told/)
    const told = () => harness.bus.published.filter(({ topic }) => topic === 'assay.sampling.jobs')
    await vi.waitFor(() => expect(told()).toHaveLength(2))
    expect(JSON.stringify(told())).not.toContain('row 1')
  })
})

describe('many jobs of one asset', () => {
  it('given more than are kept, then the oldest are forgotten with their rows', async () => {
    const first = await sampled(11)
    for (let n = 0; n < mostEnded; n += 1) await ended((await harness.request(11, { invalidateCache: true })).requestId)
    await vi.waitFor(async () => {
      await expect(harness.result(first.requestId)).rejects.toMatchObject({ code: 'not-found' })
      const { count } = await harness.documents.find(sampleJobs, 'default', { size: 0 })
      expect(count).toBe(mostEnded)
    })
    expect(await harness.artifacts.list('default/samples')).toHaveLength(mostEnded)
  })
})

describe('documents that lost a put', () => {
  it('given the removal of a forgotten job was lost, then the next sweep removes it', async () => {
    await sampled(11)
    harness.clock.time += 24 * hour + 1
    harness.losing.puts = true
    const { events } = await harness.store.read('default/assetsamples-11')
    await vi.waitFor(async () => {
      harness.timers.tick()
      expect((await harness.store.read('default/assetsamples-11')).events).toHaveLength(events.length + 1)
    })
    harness.losing.puts = false
    await vi.waitFor(async () => {
      harness.timers.tick()
      const { count } = await harness.documents.find(sampleJobs, 'default', { size: 0 })
      expect(count).toBe(0)
    })
  })
})

describe('a failure', () => {
  it('given an engine that says why, then its sentence is told; one that fails is no answer to the next request', async () => {
    harness.engine.next = { kind: 'fail', error: new AssayError('unprocessable', 'The file orders.csv is gone.') }
    const answer = await sampled(11)
    expect(answer).toMatchObject({ jobExecutionStatus: 'FAILED', errorMsg: 'The file orders.csv is gone.' })
    expect(answer.sampleData).toEqual({ schema: { fields: [] }, data: [] })
    harness.engine.next = { kind: 'rows', rows: rowsFixture(1) }
    expect((await sampled(11)).jobExecutionStatus).toBe('SUCCESSFUL')
  })

  it.each([
    new TypeError('Cannot read properties of undefined'),
    new AssayError('internal', 'at /srv/engine.ts:12'),
    'a text',
  ])('given what is not meant for people (%s), then neither stack nor text of it is told', async (error) => {
    harness.engine.next = { kind: 'fail', error }
    const { errorMsg } = await sampled(11)
    expect(errorMsg).toBe('The sample failed for an internal reason; the log of the server tells more.')
  })

  it('given an engine that does not come to an end, then the job fails at its deadline', async () => {
    harness.engine.next = { kind: 'hang' }
    const { requestId } = await harness.request(11)
    await vi.waitFor(() => expect(harness.engine.underWay).toBe(1))
    harness.timers.pass(60_000)
    const answer = await ended(requestId)
    expect(answer).toMatchObject({
      jobExecutionStatus: 'FAILED',
      errorMsg: 'Reading the first rows took longer than 60 s. Try again.',
    })
    expect(harness.engine.underWay).toBe(0)
  })

  it('given a column that the source has no more, then it says so', async () => {
    harness.engine.next = { kind: 'rows', rows: { ...rowsFixture(1), fields: [] } }
    expect(await sampled(13)).toMatchObject({
      jobExecutionStatus: 'FAILED',
      errorMsg: expect.stringMatching(/no longer has the column/),
    })
  })
})

describe('a process that ends', () => {
  it('given a job under way when it stops, then the next one takes it up', async () => {
    harness.engine.next = { kind: 'hang' }
    const { requestId } = await harness.request(11)
    await vi.waitFor(() => expect(harness.engine.underWay).toBe(1))
    await harness.first.stop()
    expect((await harness.result(requestId)).jobExecutionStatus).toBe('IN_PROGRESS')
    harness.engine.next = { kind: 'rows', rows: rowsFixture(3) }
    await harness.another()
    expect((await ended(requestId)).jobExecutionStatus).toBe('SUCCESSFUL')
  })

  it('given one that died without a word, then the next takes its job up, and the first end counts', async () => {
    harness.engine.next = { kind: 'hang' }
    const { requestId } = await harness.request(11)
    await vi.waitFor(() => expect(harness.engine.underWay).toBe(1))
    harness.engine.next = { kind: 'rows', rows: rowsFixture(3) }
    await harness.another()
    expect((await ended(requestId)).jobExecutionStatus).toBe('SUCCESSFUL')
    // What the first says later changes nothing.
    harness.timers.pass(60_000)
    await vi.waitFor(() => expect(harness.engine.underWay).toBe(0))
    await harness.first.stop()
    expect(await harness.result(requestId)).toMatchObject({ jobExecutionStatus: 'SUCCESSFUL', errorMsg: null })
  })

  it('given a process that lives on, then it takes up what another left five minutes ago, and not before', async () => {
    harness.engine.next = { kind: 'hang' }
    const other = await harness.another()
    const { requestId } = await harness.request(11)
    await vi.waitFor(() => expect(harness.engine.underWay).toBe(1))
    await harness.first.stop()
    harness.engine.next = { kind: 'rows', rows: rowsFixture(3) }
    harness.clock.time += 5 * minute
    await vi.waitFor(async () => {
      harness.timers.tick()
      expect((await harness.result(requestId, { service: other })).jobExecutionStatus).toBe('SUCCESSFUL')
    })
  })
})

describe('the log', () => {
  it('given all that can happen, when the documents are made anew, then they are the same', async () => {
    await sampled(11)
    harness.clock.time += 12 * hour
    harness.engine.next = { kind: 'fail', error: new AssayError('unprocessable', 'Gone.') }
    await sampled(11)
    await sampled(13)
    harness.clock.time += 12 * hour + 1
    const all = async () => {
      const texts: string[] = []
      for await (const stored of harness.documents.scan(sampleJobs)) texts.push(JSON.stringify(stored))
      return texts
    }
    await vi.waitFor(async () => {
      harness.timers.tick()
      expect(await all()).toHaveLength(2)
    })
    harness.engine.next = { kind: 'rows', rows: rowsFixture(3) }
    await sampled(11)
    const before = await all()
    const target = harness.documents.rebuildTarget()
    await rebuild({ store: harness.store, aggregates: samplingAggregates, collections: [sampleJobs], target })
    expect(before).toHaveLength(3)
    expect(await all()).toEqual(before)
  })

  it('given jobs that end, then the world is told, without rows', async () => {
    const { requestId } = await sampled(11)
    const told = () => harness.bus.published.filter(({ topic }) => topic === 'assay.sampling.jobs')
    await vi.waitFor(() => expect(told()).toHaveLength(2))
    expect(JSON.stringify(told())).toContain(requestId)
    expect(JSON.stringify(told())).not.toContain('row 1')
  })

  it('given a message that is no table, then it is set aside', async () => {
    await harness.table({ assetId: 5 } as never)
    expect(harness.bus.outcomes.at(-1)).toMatchObject({ kind: 'park' })
  })
})
