import { createRepair, rebuild } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sampleJobs } from './asset-samples/aggregate.ts'
import { maxEnded } from './asset-samples/decide.ts'
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

describe('a request', () => {
  it('given an asset, when its rows are requested, then a job runs, and its result has them', async () => {
    harness.engine.next = { kind: 'rows', rows: rowsFixture(150) }
    const asked = await harness.request(11)
    expect(asked).toMatchObject({ jobExecutionStatus: 'IN_PROGRESS', sampleData: { schema: { fields: [] }, data: [] } })
    const answer = await harness.ended(asked.requestId)
    expect(answer).toMatchObject({ jobExecutionStatus: 'SUCCESSFUL', errorMsg: null, executionId: null })
    expect(answer.sampleData.data).toHaveLength(100)
    expect(answer.sampleData.schema.fields.map(({ name }) => name)).toEqual(['id', 'note'])
  })

  it('given a column, then its sample has that column only', async () => {
    const { sampleData } = await harness.sampled(13)
    expect(sampleData.schema.fields).toEqual([{ name: 'note', type: 'VARCHAR', nullable: true }])
    expect(sampleData.data).toEqual([{ note: 'row 0' }, { note: 'row 1' }, { note: 'row 2' }])
  })

  it('given a field inside a column, then its sample has only that field, and is masked like its column', async () => {
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
    expect((await harness.sampled(22)).sampleData.data).toEqual([
      { address: { zip: '01' } },
      { address: null },
      { address: null },
    ])
    const { sampleData } = await harness.sampled(23)
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
    expect((await harness.ended(requestId)).errorMsg).toContain("no longer has the column 'user.address.zip'")
  })

  it('given a hundred concurrent requests, then they share one job', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => harness.request(11)))
    expect(new Set(answers.map(({ requestId }) => requestId)).size).toBe(1)
    await harness.ended(answers[0]?.requestId ?? '')
    expect(harness.engine.asked).toBe(1)
  })

  it('given a hundred concurrent requests at two processes, then they share one job', async () => {
    const services = [harness.first, await harness.another()]
    const answers = await Promise.all(
      services.flatMap((service) => Array.from({ length: 50 }, () => harness.request(11, { service }))),
    )
    expect(new Set(answers.map(({ requestId }) => requestId)).size).toBe(1)
    expect((await harness.ended(answers[0]?.requestId ?? '')).jobExecutionStatus).toBe('SUCCESSFUL')
  })

  it.each([10, 99])('given the missing asset %i, then 404', async (id) => {
    await expect(harness.request(id)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('given a table that its source no longer has, or one of another tenant, then 404', async () => {
    await expect(harness.request(11, { tenant: 'other' })).rejects.toMatchObject({ code: 'not-found' })
    await harness.table(tableFixture({ revision: 1, isDeleted: true }))
    for (const id of [11, 13]) await expect(harness.request(id)).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('cached rows', () => {
  it('given rows of the last hour, then they answer the next request; later the data is read again', async () => {
    const { requestId, sampleData } = await harness.sampled(11)
    harness.clock.time += hour - 1
    const again = await harness.request(11)
    expect(again).toMatchObject({ requestId, jobExecutionStatus: 'SUCCESSFUL', sampleData })
    harness.clock.time += 1
    const later = await harness.request(11)
    expect(later.jobExecutionStatus).toBe('IN_PROGRESS')
    await harness.ended(later.requestId)
    expect(harness.engine.asked).toBe(2)
    // The first rows can still be read by their request.
    expect(await harness.result(requestId)).toMatchObject({ jobExecutionStatus: 'SUCCESSFUL' })
  })

  it('given invalidateCache, then the data is read again, and a running job is shared', async () => {
    const { requestId } = await harness.sampled(11)
    harness.engine.next = { kind: 'rows', rows: rowsFixture(7) }
    const fresh = await Promise.all([1, 2].map(() => harness.request(11, { invalidateCache: true })))
    expect(new Set(fresh.map((answer) => answer.requestId)).size).toBe(1)
    expect(fresh[0]?.requestId).not.toBe(requestId)
    expect((await harness.ended(fresh[0]?.requestId ?? '')).sampleData.data).toHaveLength(7)
    expect((await harness.request(11)).sampleData.data).toHaveLength(7)
  })

  it('given rows that somebody removed from the result folder, then the data is read again', async () => {
    const { requestId } = await harness.sampled(11)
    await harness.artifacts.remove(`default/samples/${requestId}`)
    await expect(harness.result(requestId)).rejects.toMatchObject({ code: 'not-found' })
    expect((await harness.sampled(11)).jobExecutionStatus).toBe('SUCCESSFUL')
    expect(harness.engine.asked).toBe(2)
  })

  it('given a job older than 24 hours, then the job and its rows are removed', async () => {
    const { requestId } = await harness.sampled(11)
    const another = await harness.sampled(13)
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

describe('many jobs of one asset', () => {
  it('given more jobs than the maximum, then the oldest are removed with their rows', async () => {
    const first = await harness.sampled(11)
    for (let n = 0; n < maxEnded; n += 1)
      await harness.ended((await harness.request(11, { invalidateCache: true })).requestId)
    await vi.waitFor(async () => {
      await expect(harness.result(first.requestId)).rejects.toMatchObject({ code: 'not-found' })
      const { count } = await harness.documents.find(sampleJobs, 'default', { size: 0 })
      expect(count).toBe(maxEnded)
    })
    expect(await harness.artifacts.list('default/samples')).toHaveLength(maxEnded)
  })
})

describe('documents that lost a put', () => {
  it('given a lost removal of an old job, when the repair handles it together with later events, then the job is removed', async () => {
    const { requestId } = await harness.sampled(11)
    harness.clock.time += 24 * hour + 1
    harness.losing.puts = true
    const { events } = await harness.store.read('default/assetsamples-11')
    await vi.waitFor(async () => {
      harness.timers.tick()
      expect((await harness.store.read('default/assetsamples-11')).events).toHaveLength(events.length + 1)
    })
    harness.losing.puts = false
    await harness.sampled(11)
    expect(await harness.documents.get(sampleJobs, 'default', requestId)).toBeDefined()
    const repair = createRepair({ ...harness, aggregates: samplingAggregates })
    await repair.handle((await harness.store.read('default/assetsamples-11')).events)
    const { documents } = await harness.documents.find(sampleJobs, 'default', { size: 9 })
    expect(documents.map((job) => [job.requestId === requestId, job.status])).toEqual([[false, 'succeeded']])
  })
})

describe('a failure', () => {
  it('given an engine error with a sentence, then the result has it; a failed job does not answer the next request', async () => {
    harness.engine.next = { kind: 'fail', error: new AssayError('unprocessable', 'The file orders.csv is gone.') }
    const answer = await harness.sampled(11)
    expect(answer).toMatchObject({ jobExecutionStatus: 'FAILED', errorMsg: 'The file orders.csv is gone.' })
    expect(answer.sampleData).toEqual({ schema: { fields: [] }, data: [] })
    harness.engine.next = { kind: 'rows', rows: rowsFixture(1) }
    expect((await harness.sampled(11)).jobExecutionStatus).toBe('SUCCESSFUL')
  })

  it.each([
    new TypeError('Cannot read properties of undefined'),
    new AssayError('internal', 'at /srv/engine.ts:12'),
    'a text',
  ])('given an internal error (%s), then the result has neither its stack nor its text', async (error) => {
    harness.engine.next = { kind: 'fail', error }
    const { errorMsg } = await harness.sampled(11)
    expect(errorMsg).toBe(
      'The sample failed because of an error in Assay. Try again; if it fails again, an operator finds the cause in the log.',
    )
  })

  it('given an engine that does not finish, then the job fails at its deadline', async () => {
    harness.engine.next = { kind: 'hang' }
    const { requestId } = await harness.request(11)
    await vi.waitFor(() => expect(harness.engine.inFlight).toBe(1))
    harness.timers.pass(60_000)
    const answer = await harness.ended(requestId)
    expect(answer).toMatchObject({
      jobExecutionStatus: 'FAILED',
      errorMsg: 'Reading the first rows took longer than 60 s. Try again.',
    })
    expect(harness.engine.inFlight).toBe(0)
  })

  it('given a column that the source no longer has, then the error says so', async () => {
    harness.engine.next = { kind: 'rows', rows: { ...rowsFixture(1), fields: [] } }
    expect(await harness.sampled(13)).toMatchObject({
      jobExecutionStatus: 'FAILED',
      errorMsg: expect.stringMatching(/no longer has the column/),
    })
  })
})

describe('many concurrent jobs', () => {
  const tables = (count: number, tenant?: string) =>
    Promise.all(
      Array.from({ length: count }, (_, at) =>
        harness.table(tableFixture({ assetId: 1000 + at, columns: [] }), tenant),
      ),
    )

  it('given a key at its limit, then 429, but not for cached rows; other tenants are served', async () => {
    await harness.sampled(11)
    await tables(60)
    await harness.table(tableFixture(), 'other')
    harness.engine.next = { kind: 'hang' }
    const asked = await Promise.allSettled(Array.from({ length: 60 }, (_, at) => harness.request(1000 + at)))
    const refused = asked.filter((each) => each.status === 'rejected')
    expect(refused).toHaveLength(60 - 50)
    expect(refused[0]?.reason).toMatchObject({
      code: 'rate-limited',
      message: expect.stringMatching(/^This key has 50 open/),
    })
    expect((await harness.request(11)).jobExecutionStatus).toBe('SUCCESSFUL')
    harness.engine.next = { kind: 'rows', rows: rowsFixture(3) }
    const { requestId } = await harness.request(11, { tenant: 'other' })
    const answer = await vi.waitFor(async () => {
      const found = await harness.result(requestId, { tenant: 'other' })
      expect(found.jobExecutionStatus).not.toBe('IN_PROGRESS')
      return found
    })
    expect(answer.jobExecutionStatus).toBe('SUCCESSFUL')
  })

  it('given a cancelled job, waiting or running, then it is FAILED and frees its slot; cancelling an ended job is 422', async () => {
    await tables(3)
    harness.engine.next = { kind: 'hang' }
    const [first, , last] = [await harness.request(1000), await harness.request(1001), await harness.request(1002)]
    await vi.waitFor(() => expect(harness.engine.inFlight).toBe(2))
    const gone = await harness.cancel(last?.requestId ?? '')
    expect(gone).toMatchObject({ jobExecutionStatus: 'FAILED', errorMsg: expect.stringMatching(/was cancelled by/) })
    await harness.cancel(first?.requestId ?? '')
    await vi.waitFor(() => expect(harness.engine.inFlight).toBe(1))
    await expect(harness.cancel(first?.requestId ?? '')).rejects.toMatchObject({ code: 'unprocessable' })
    await expect(harness.cancel('nothing')).rejects.toMatchObject({ code: 'not-found' })
    await expect(harness.cancel(last?.requestId ?? '', { tenant: 'other' })).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  it('given jobs of an earlier process, when nobody polls for two minutes, then waiting ones expire', async () => {
    await tables(5)
    harness.engine.next = { kind: 'hang' }
    const asked = await Promise.all(Array.from({ length: 5 }, (_, at) => harness.request(1000 + at)))
    await vi.waitFor(() => expect(harness.engine.inFlight).toBe(2))
    await harness.first.stop()
    const next = await harness.another({ soleInstance: true })
    await vi.waitFor(() => expect(harness.engine.inFlight).toBe(2))
    harness.clock.time += 2 * minute + 1
    await vi.waitFor(async () => {
      harness.timers.tick()
      const found = await Promise.all(asked.map(({ requestId }) => harness.result(requestId, { service: next })))
      expect(found.filter(({ errorMsg }) => errorMsg?.startsWith('The sample expired'))).toHaveLength(3)
    })
  })
})

describe('a process that ends', () => {
  it('given a job that runs when its process stops, then the next process completes it', async () => {
    harness.engine.next = { kind: 'hang' }
    const { requestId } = await harness.request(11)
    await vi.waitFor(() => expect(harness.engine.inFlight).toBe(1))
    await harness.first.stop()
    expect((await harness.result(requestId)).jobExecutionStatus).toBe('IN_PROGRESS')
    harness.engine.next = { kind: 'rows', rows: rowsFixture(3) }
    await harness.another()
    expect((await harness.ended(requestId)).jobExecutionStatus).toBe('SUCCESSFUL')
  })

  it('given a process that was killed, then the next takes its job over, and the first result counts', async () => {
    harness.engine.next = { kind: 'hang' }
    const { requestId } = await harness.request(11)
    await vi.waitFor(() => expect(harness.engine.inFlight).toBe(1))
    harness.engine.next = { kind: 'rows', rows: rowsFixture(3) }
    harness.clock.time += minute
    await harness.another()
    expect((await harness.ended(requestId)).jobExecutionStatus).toBe('SUCCESSFUL')
    // A later end by the first process changes nothing.
    harness.timers.pass(60_000)
    await vi.waitFor(() => expect(harness.engine.inFlight).toBe(0))
    await harness.first.stop()
    expect(await harness.result(requestId)).toMatchObject({ jobExecutionStatus: 'SUCCESSFUL', errorMsg: null })
  })

  it('given a killed process without replicas, then the next takes its job over immediately', async () => {
    harness.engine.next = { kind: 'hang' }
    const { requestId } = await harness.request(11)
    await vi.waitFor(() => expect(harness.engine.inFlight).toBe(1))
    harness.engine.next = { kind: 'rows', rows: rowsFixture(3) }
    await harness.another({ soleInstance: true })
    expect((await harness.ended(requestId)).jobExecutionStatus).toBe('SUCCESSFUL')
  })

  it('given a process that stopped, then another running process takes its job over', async () => {
    harness.engine.next = { kind: 'hang' }
    const other = await harness.another()
    const { requestId } = await harness.request(11)
    await vi.waitFor(() => expect(harness.engine.inFlight).toBe(1))
    await harness.first.stop()
    harness.engine.next = { kind: 'rows', rows: rowsFixture(3) }
    await vi.waitFor(async () => {
      harness.timers.tick()
      expect((await harness.result(requestId, { service: other })).jobExecutionStatus).toBe('SUCCESSFUL')
    }, 5_000)
  })
})

describe('the log', () => {
  it('given all kinds of events, when the documents are rebuilt, then they are equal', async () => {
    await harness.sampled(11)
    harness.clock.time += 12 * hour
    harness.engine.next = { kind: 'fail', error: new AssayError('unprocessable', 'Gone.') }
    await harness.sampled(11)
    await harness.sampled(13)
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
    await harness.sampled(11)
    const before = await all()
    const target = harness.documents.rebuildTarget()
    await rebuild({ store: harness.store, aggregates: samplingAggregates, collections: [sampleJobs], target })
    expect(before).toHaveLength(3)
    expect(await all()).toEqual(before)
  })

  it('given ended jobs, then their messages are published, without rows', async () => {
    const { requestId } = await harness.sampled(11)
    const published = () => harness.bus.published.filter(({ topic }) => topic === 'assay.sampling.jobs')
    await vi.waitFor(() => expect(published()).toHaveLength(2))
    expect(JSON.stringify(published())).toContain(requestId)
    expect(JSON.stringify(published())).not.toContain('row 1')
  })

  it('given a message that is not a table, then it is parked', async () => {
    await harness.table({ assetId: 5 } as never)
    expect(harness.bus.outcomes.at(-1)).toMatchObject({ kind: 'park' })
  })
})
