import type { DataEngine, DatasetProfile } from '@assay/data-engine'
import { AssayError } from '@assay/service-kit/errors'
import { systemClock } from '@assay/service-kit/node'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { column, createFakeEngine, file } from '../testing/fake-engine.ts'
import { type OpenCatalog, openCatalog } from '../testing/harness.ts'

let catalog: OpenCatalog
let engine: ReturnType<typeof createFakeEngine>
/** A column with `counts[n]` rows of the value n. */
function spread(counts: number[]): DatasetProfile {
  const each = counts.flatMap((count, value) =>
    count === 0 ? [] : [{ value, position: value, hash: String(value), count }],
  )
  const rows = counts.reduce((sum, count) => sum + count, 0)
  const [least = null] = each
  const known = {
    ...{ count: rows, notFinite: null, least, greatest: each.at(-1) ?? null, text: null, number: null },
    values: { kind: 'each' as const, values: each },
  }
  return {
    rows,
    columns: [{ name: 'id', dataType: 'BIGINT', hashedBy: 'test', nulls: 0, known, error: null }],
    ...{ columnsLeftOut: 0, warnings: { total: 0, first: [] }, reached: null, elapsedMs: 1 },
  }
}
const measured = vi.fn<DataEngine['profile']>()

beforeEach(async () => {
  engine = createFakeEngine()
  engine.finds = [file('old.csv', [column('id', 'BIGINT')]), file('new.csv', [column('id', 'BIGINT')])]
  engine.profile = measured.mockReset().mockResolvedValue(spread([0, 1000, 0]))
  catalog = await openCatalog({ engine })
  await catalog.assembly('crm')
})
afterEach(() => catalog.close())

const configure = async (uid: string, body: object, tenant = 'default') =>
  (await catalog.call('configureReference', { params: { uid }, body, tenant })).body.assetConfiguration
const jobs = async (tenant = 'default') => (await catalog.call('listReferenceJobs', { tenant })).body
const endedJob = () =>
  vi.waitFor(
    async () => {
      const [job] = (await jobs()).data
      expect(['SUCCESSFUL', 'FAILED', 'ABORTED']).toContain(job?.executionStatus)
      return job
    },
    { timeout: 15_000 },
  )

describe('reference assets', () => {
  it('given an asset, when it becomes a reference and is validated, then its first job measures the baseline of later ones', async () => {
    const configured = await configure('crm.new.csv', { validateNow: true })
    expect(configured).toMatchObject({
      isUserMarkedReference: true,
      referenceCheckConfiguration: { maxRowCount: 100_000, timeOutMilliseconds: 300_000 },
      assetReferenceValidationJob: { executionMode: 'MANUAL' },
    })
    expect(await endedJob()).toMatchObject({
      executionStatus: 'SUCCESSFUL',
      jobResult: { status: 'SUCCESSFUL', count: 1000, message: expect.stringContaining('baseline') },
      assetUid: 'crm.new.csv',
      assetSourceType: 'FILE',
    })
    measured.mockResolvedValue(spread([0, 0, 1000]))
    await configure('crm.new.csv', { validateNow: true, isReference: null })
    await vi.waitFor(async () => expect((await jobs()).data[0]?.jobResult?.status).toBe('ERRORED'), { timeout: 15_000 })
    const { body } = await catalog.call('listReferenceAssets')
    expect(body).toMatchObject({
      data: [{ assetUid: 'crm.new.csv', referenceConfiguration: { isReference: true, referenceAssetId: null } }],
      meta: { count: 1, page: 0, size: 25 },
    })
    const { id } = await catalog.byUid('crm.new.csv')
    const shown = await catalog.call('getAssetConfiguration', { params: { id: String(id) } })
    expect(shown.body.assetConfiguration).toMatchObject({ isReferenceCheckValid: false })
  })

  it('given a baseline, then it is an artifact and not part of any event, and once it is removed the next job measures another', async () => {
    const validated = async (count: number) => {
      await configure('crm.new.csv', { validateNow: true })
      return vi.waitFor(
        async () => {
          const { data } = await jobs()
          expect(data).toHaveLength(count)
          expect(data[0]?.jobResult?.message).toContain('baseline')
        },
        { timeout: 15_000 },
      )
    }
    await validated(1)
    const stored = () => catalog.artifacts.list('default/baselines')
    const [{ key } = { key: '' }] = await stored()
    const artifact = key.slice(0, key.lastIndexOf('/'))
    const succeeded = (await catalog.events('assetreference')).filter(({ type }) => type === 'ReferenceJobSucceeded')
    expect(succeeded.map(({ data }) => data.baseline)).toEqual([{ artifact }])
    await catalog.artifacts.remove(artifact)
    await validated(2)
    expect(await stored()).toHaveLength(1)
  })

  it('given a column that cannot be measured, then the job has a warning, unless the column is after the 300th', async () => {
    const found = spread([0, 1000])
    const columns = found.columns.flatMap((one) => Array.from({ length: 301 }, (_, at) => ({ ...one, name: `c${at}` })))
    const failing = (name: string) =>
      columns.map((one) => (one.name === name ? { ...one, known: null, error: "Could not convert 'secret'" } : one))
    measured.mockResolvedValue({ ...found, columns: failing('c300') })
    await configure('crm.new.csv', { validateNow: true })
    expect((await endedJob())?.jobResult).toMatchObject({ status: 'SUCCESSFUL', count: 1000 })
    measured.mockResolvedValue({ ...found, columns: failing('c299') })
    await configure('crm.new.csv', { validateNow: true })
    await vi.waitFor(async () => expect((await jobs()).data[0]?.jobResult?.status).toBe('WARNING'), { timeout: 15_000 })
    const message = (await jobs()).data[0]?.jobResult?.message
    expect(message).toContain('could not read their values; a profile of the asset says why: c299.')
    expect(message).not.toContain('secret')
  })

  it.each(['v', 'w'])(
    'given %s, a view that was redefined or reads such a view, then its next job measures a new baseline',
    async (uid) => {
      const at = { kind: 'table' as const, engine: 'DUCKDB', path: '/data/shop.duckdb', schema: 'main', table: 'v' }
      const view = (name: string, definition: string, reads: string[][]) =>
        file(name, [column('id', 'BIGINT')], { locator: { ...at, definition, columns: [], fingerprint: 'f' }, reads })
      const reader = view('w', 'SELECT * FROM v', [['v']])
      const validated = async (count: number) => {
        await configure(`shop.${uid}`, { validateNow: true, isReference: null })
        return vi.waitFor(
          async () => {
            const { data } = await jobs()
            expect(data).toHaveLength(count)
            expect(data[0]?.jobResult?.status).toBeDefined()
            return data[0]?.jobResult
          },
          { timeout: 15_000 },
        )
      }
      engine.finds = [view('v', 'SELECT ssn', []), reader]
      const { id } = await catalog.assembly('shop')
      await configure(`shop.${uid}`, { validateNow: false })
      expect(await validated(1)).toMatchObject({ message: expect.stringContaining('baseline') })
      measured.mockResolvedValue(spread([0, 0, 1000]))
      expect(await validated(2)).toMatchObject({ status: 'ERRORED' })
      engine.finds = [view('v', 'SELECT name', []), reader]
      await catalog.crawl(id)
      expect(await validated(3)).toMatchObject({ status: 'SUCCESSFUL', message: expect.stringContaining('baseline') })
    },
  )

  it('given a job that fails at a value, then neither its record nor its public event has the value', async () => {
    const words = "Conversion Error: Could not convert string 'secret' to INT32"
    measured.mockRejectedValue(new AssayError('unprocessable', words))
    await configure('crm.new.csv', { validateNow: true })
    expect(await endedJob()).toMatchObject({
      errorMessage: expect.stringMatching(/^Conversion Error\. The details are hidden/),
    })
    const failed = () => catalog.published.filter(({ message }) => message.type.endsWith('ReferenceJobFailed'))
    await vi.waitFor(() => expect(failed()).toHaveLength(1), { timeout: 15_000 })
    expect(JSON.stringify(failed())).not.toContain('secret')
  })

  it('given a reference, when new data is similar, then it is valid; invalid references are refused', async () => {
    const { id } = await catalog.byUid('crm.old.csv')
    const body = { validateNow: true, isReference: false, referenceAssetId: id, maxRowCount: 50 }
    await configure('crm.new.csv', body)
    expect(await endedJob()).toMatchObject({
      jobResult: {
        status: 'SUCCESSFUL',
        message: null,
        inferredSchema: [{ name: 'id', dataType: 'BIGINT', nullable: false }],
      },
    })
    expect(measured.mock.calls.map(([request]) => request.maxRows)).toEqual([50, 50])
    const configurationOf = async (uid: string) => {
      const params = { id: String((await catalog.byUid(uid)).id) }
      return (await catalog.call('getAssetConfiguration', { params })).body.assetConfiguration
    }
    expect(await configurationOf('crm.old.csv')).toMatchObject({ isUserMarkedReference: true })
    expect(await configurationOf('crm.new.csv')).toMatchObject({ isUserMarkedReference: false })
    await expect(configure('crm.new.csv', { validateNow: false, referenceAssetId: 99 })).rejects.toThrow(
      'referenceAssetId',
    )
    await expect(configure('crm.old.csv', { validateNow: false, referenceAssetId: id })).rejects.toThrow(
      'another asset',
    )
  })

  it('given no such asset, another tenant, or nothing to measure against, then the request is refused', async () => {
    const missing = await configure('none', { validateNow: true }).catch((error: unknown) => error)
    const foreign = await configure('crm.new.csv', { validateNow: true }, 'other').catch((error: unknown) => error)
    expect(missing).toMatchObject({ code: 'forbidden' })
    expect(foreign).toEqual(missing)
    await expect(configure('crm.new.csv', { validateNow: true, isReference: false })).rejects.toMatchObject({
      code: 'unprocessable',
    })
    await expect(configure('crm.new.csv.id', { validateNow: true })).rejects.toMatchObject({ code: 'unprocessable' })
    expect((await jobs()).meta.count).toBe(0)
  })

  it('given a job that hangs, when it is cancelled, then its engine call is aborted, and it stays cancelled', async () => {
    const aborted = Promise.withResolvers<void>()
    measured.mockImplementation(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted.resolve()
            reject(signal.reason)
          })
        }),
    )
    await Promise.all([1, 2, 3, 4].map(() => configure('crm.new.csv', { validateNow: true })))
    expect((await jobs()).meta.count).toBe(1)
    await vi.waitFor(() => expect(measured).toHaveBeenCalled(), { timeout: 15_000 })
    const id = (await jobs()).data[0]?.id
    const cancel = (jobId: string, tenant = 'default') =>
      catalog.call('cancelReferenceJob', { params: { jobId }, tenant })
    await expect(cancel(String(id), 'other')).rejects.toMatchObject({ code: 'not-found' })
    await expect(cancel('job-1')).rejects.toMatchObject({ code: 'not-found' })
    expect((await cancel(String(id))).body.data).toMatchObject({ id, executionStatus: 'ABORTED' })
    await aborted.promise
    await expect(cancel(String(id))).rejects.toMatchObject({ code: 'unprocessable' })
    expect(await jobs('other')).toMatchObject({ data: [], meta: { count: 0 } })
  })

  it('given a running job, when the process dies, then the next process takes the job over', async () => {
    measured.mockImplementation(() => new Promise(() => {}))
    await configure('crm.new.csv', { validateNow: true })
    await vi.waitFor(() => expect(measured).toHaveBeenCalled(), { timeout: 15_000 })
    measured.mockReset().mockResolvedValue(spread([0, 1000, 0]))
    await catalog.kill()
    const afterItsLease = { now: () => systemClock.now() + 60_000 }
    catalog = await catalog.again({ engine, dependencies: { clock: afterItsLease } })
    expect(await endedJob()).toMatchObject({ executionStatus: 'SUCCESSFUL' })
  })

  it('given a tenant that sends one job at a time, then it does not overtake tenants that have waited longer', async () => {
    for (const tenant of ['a', 'b', 'c']) await catalog.assembly('crm', tenant)
    const order: string[] = []
    const finishes: (() => void)[] = []
    measured.mockImplementation((_, { tenant }) => {
      order.push(tenant ?? 'none')
      return new Promise((resolve) => finishes.push(() => resolve(spread([0, 1000, 0]))))
    })
    const send = (tenant: string, file = 'new') => configure(`crm.${file}.csv`, { validateNow: true }, tenant)
    const begun = () => vi.waitFor(() => expect(finishes).toHaveLength(1), { timeout: 15_000 })
    await send('c')
    await begun()
    await send('a')
    await send('b')
    await send('c', 'old')
    finishes.shift()?.()
    await begun()
    finishes.shift()?.()
    await begun()
    await send('a')
    for (let n = 0; n < 2; n++) {
      finishes.shift()?.()
      await begun()
    }
    finishes.shift()?.()
    expect(order).toEqual(['c', 'a', 'b', 'c', 'a'])
  })
})
