import { createCommandHandler, createCommit } from '@assay/event-store'
import { createTicks } from '@assay/hosting/testing'
import { createMetrics, isoTime, type SecondTimers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { assemblyAggregate } from '../assembly/aggregate.ts'
import { createFakeEngine, orders, people } from '../testing/fake-engine.ts'
import { type OpenCatalog, openCatalog } from '../testing/harness.ts'

/** Background effects may take long on a busy machine. */
const waiting20s = { timeout: 20_000 }

let catalog: OpenCatalog
beforeEach(async () => {
  catalog = await openCatalog()
})
afterEach(() => catalog.close())

/** Timers that run the work of the interval `held` only when `tick` is called. */
function heldEvery(held: number) {
  const ticks = createTicks()
  return {
    ...systemTimers,
    tick: ticks.tick,
    every: (milliseconds: number, work: () => void) =>
      (milliseconds === held ? ticks : systemTimers).every(milliseconds, work),
  }
}

describe('concurrent requests', () => {
  it('given ten creations under one name, then one succeeds', async () => {
    const body = { name: 'sales', sourceType: 'FILE', configuration: { path: '/data' } }
    const made = await Promise.allSettled(Array.from({ length: 10 }, () => catalog.call('createAssembly', { body })))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const each of made) if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'taken' })
    expect((await catalog.call('listAssemblies')).body.meta.count).toBe(1)
  })

  it('given ten starts of a crawl, then one runs and the others are refused', async () => {
    const { id } = await catalog.assembly('sales')
    catalog.engine.finds = ['wait']
    const start = () => catalog.call('startCrawl', { params: { id: String(id) } })
    const made = await Promise.allSettled(Array.from({ length: 10 }, start))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const each of made)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'unprocessable' })
  })
})

describe('a running crawl', () => {
  async function waiting() {
    catalog.engine.finds = [people(), 'wait']
    const body = { name: 'slow', sourceType: 'FILE', configuration: { path: '/data' } }
    const { body: made } = await catalog.call('createAssembly', { body })
    const { id } = made.data
    await vi.waitFor(() => catalog.byUid('slow.people.csv'))
    return { id, crawl: await catalog.lastCrawl(id) }
  }

  it('when another is started, then 422', async () => {
    const { id } = await waiting()
    await expect(catalog.call('startCrawl', { params: { id: String(id) } })).rejects.toMatchObject({
      code: 'unprocessable',
    })
  })

  it('when it is cancelled, then it is ABORTED with its figures, and another can run', async () => {
    const { id, crawl } = await waiting()
    const { body } = await catalog.call('cancelCrawl', { params: { id: String(crawl.id) } })
    expect(body.data).toMatchObject({ status: 'ABORTED', added: 1 })
    const again = catalog.call('cancelCrawl', { params: { id: String(crawl.id) } })
    await expect(again).rejects.toMatchObject({ code: 'unprocessable' })
    catalog.engine.finds = [people()]
    expect(await catalog.crawl(id)).toMatchObject({ status: 'SUCCESSFUL' })
  })

  it('when its assembly is deleted, then the crawl ends and leaves no live asset', async () => {
    const { id, crawl } = await waiting()
    await catalog.call('deleteAssembly', { params: { id: String(id) } })
    expect(await catalog.crawlEnded(crawl.id)).toMatchObject({ status: 'ABORTED' })
    expect((await catalog.byUid('slow.people.csv')).isDeleted).toBe(true)
  })

  it('when the service stops, then the next start continues the crawl, and its figures', async () => {
    const { id, crawl } = await waiting()
    await catalog.stop()
    catalog = await catalog.again({ engine: createFakeEngine([people(), orders()]) })
    const ended = await catalog.crawlEnded(crawl.id)
    expect(ended).toMatchObject({
      status: 'SUCCESSFUL',
      found: 2,
      done: 2,
      added: 2,
      removed: 0,
      failed: 0,
      errors: [],
    })
    expect(await catalog.crawl(id)).toMatchObject({ status: 'SUCCESSFUL', added: 0 })
  })

  it('given more crawls than a process runs concurrently, when a waiting one is cancelled, then it is ABORTED and never claimed', async () => {
    catalog.engine.finds = ['wait']
    const crawls: number[] = []
    for (let number = 1; number <= 9; number += 1) {
      const body = { name: `slow${number}`, sourceType: 'FILE', configuration: { path: '/data' } }
      const { body: made } = await catalog.call('createAssembly', { body })
      crawls.push((await catalog.lastCrawl(made.data.id)).id)
    }
    const claimed = async () =>
      (await catalog.events('crawl')).flatMap(({ type, data }) => (type === 'CrawlClaimed' ? [data.crawlId] : []))
    await vi.waitFor(async () => expect(await claimed()).toHaveLength(8), waiting20s)
    const cancel = (crawlId: number) => catalog.call('cancelCrawl', { params: { id: String(crawlId) } })
    const last = crawls.at(-1) ?? 0
    expect((await cancel(last)).body.data).toMatchObject({ id: last, status: 'ABORTED' })
    await Promise.all(crawls.slice(0, -1).map(cancel))
    expect(await claimed()).toEqual(crawls.slice(0, -1))
  })

  it('given an engine that stops with the service, then the crawl does not fail', async () => {
    await catalog.stop()
    const engineIsGone = Promise.withResolvers<void>()
    const timers: SecondTimers = {
      ...systemTimers,
      sleep: (milliseconds, signal) => {
        if (milliseconds !== 2_000) return systemTimers.sleep(milliseconds, signal)
        engineIsGone.resolve()
        // Ends only with the stop, however slow the machine is.
        return systemTimers.sleep(600_000, signal)
      },
    }
    const engine = createFakeEngine([
      people(),
      new AssayError('unavailable', 'The run ended because its process died.'),
    ])
    catalog = await catalog.again({ engine, dependencies: { timers } })
    const body = { name: 'slow', sourceType: 'FILE', configuration: { path: '/data' } }
    const { body: made } = await catalog.call('createAssembly', { body })
    await engineIsGone.promise
    await catalog.stop()
    catalog = await catalog.again({ engine: createFakeEngine([people()]) })
    const crawl = await catalog.lastCrawl(made.data.id)
    expect(await catalog.crawlEnded(crawl.id)).toMatchObject({ status: 'SUCCESSFUL', added: 1, errors: [] })
  })

  it('given a crawl that is started while the service stops, then the next start runs it', async () => {
    const { id } = await catalog.assembly('late')
    catalog.engine.finds = ['wait']
    const started = catalog.call('startCrawl', { params: { id: String(id) } })
    const stopped = catalog.service.stop()
    const { body } = await started
    await stopped
    await catalog.stop()
    catalog = await catalog.again({ engine: createFakeEngine([people()]) })
    expect(await catalog.crawlEnded(body.data.id)).toMatchObject({ status: 'SUCCESSFUL' })
    const types = (await catalog.events('crawl')).map(({ type }) => type)
    expect(types.slice(-3)).toEqual(['CrawlStarted', 'CrawlClaimed', 'CrawlFinished'])
  })

  it('when the process dies, then the next start continues the crawl, and another can run afterwards', async () => {
    const { id, crawl } = await waiting()
    await catalog.kill()
    const metrics = createMetrics()
    catalog = await catalog.again({ engine: createFakeEngine([people(), orders()]), dependencies: { metrics } })
    const ended = await catalog.crawlEnded(crawl.id)
    expect(ended).toMatchObject({ id: crawl.id, status: 'SUCCESSFUL', found: 2, done: 2, errors: [] })
    expect(await catalog.byUid('slow.2026.orders.csv')).toMatchObject({ isDeleted: false })
    expect((await catalog.call('listCrawls', { params: { id: String(id) } })).body.meta.count).toBe(1)
    expect(await catalog.crawl(id)).toMatchObject({ status: 'SUCCESSFUL', added: 0 })
    expect(await metrics.text()).toContain('assay_work_taken_over_total{work="crawl"} 1\n')
    expect(await metrics.text()).toContain('assay_crawls_ended_total{state="SUCCESSFUL"} 2\n')
  })

  it('when three processes die during the crawl, then the next start ends it FAILED with the reason', async () => {
    const { id, crawl } = await waiting()
    const claims = async () => (await catalog.events('crawl')).filter(({ type }) => type === 'CrawlClaimed')
    for (let dead = 1; dead <= 2; dead += 1) {
      await catalog.kill()
      catalog = await catalog.again({ engine: createFakeEngine(['wait']) })
      await vi.waitFor(async () => expect(await claims()).toHaveLength(dead + 1), waiting20s)
      expect((await catalog.lastCrawl(id)).status).toBe('RUNNING')
    }
    await catalog.kill()
    catalog = await catalog.again({ engine: createFakeEngine([people()]) })
    const ended = await catalog.crawlEnded(crawl.id)
    expect(ended.status).toBe('FAILED')
    expect(ended.errors[0]?.message).toContain('Start the crawl again')
    expect(await catalog.crawl(id)).toMatchObject({ status: 'SUCCESSFUL' })
  })

  it('when it is cancelled and the process dies, then the next start leaves it ABORTED', async () => {
    const { id, crawl } = await waiting()
    await catalog.call('cancelCrawl', { params: { id: String(crawl.id) } })
    await catalog.kill()
    catalog = await catalog.again({ engine: createFakeEngine([people()]) })
    expect((await catalog.lastCrawl(id)).status).toBe('ABORTED')
    expect(await catalog.crawl(id)).toMatchObject({ status: 'SUCCESSFUL', added: 0 })
  })
})

/** A handler that writes single events, as of a process that died after them. */
function handlerOf({ store, documents }: OpenCatalog) {
  const ambient = { clock: systemClock, timers: systemTimers, newId: uuidV7 }
  return createCommandHandler({ store, documents, commit: createCommit(store, documents, () => {}), ...ambient })
}

it('given the process dies between the deletion of an assembly and the end of its crawl, then the crawl is FAILED and leaves no live asset', async () => {
  catalog.engine.finds = [people(), 'wait']
  const body = { name: 'slow', sourceType: 'FILE', configuration: { path: '/data' } }
  const { id } = (await catalog.call('createAssembly', { body })).body.data
  const crawl = await catalog.lastCrawl(id)
  await vi.waitFor(() => catalog.byUid('slow.people.csv'), waiting20s)
  const command = { type: 'DeleteAssembly', at: isoTime(Date.now()), by: 'ann' } as const
  await handlerOf(catalog).handle(assemblyAggregate, { tenant: 'default', id, command, context: { actor: 'ann' } })
  await catalog.kill()
  catalog = await catalog.again({ engine: createFakeEngine([people(), orders()]) })
  const ended = await catalog.crawlEnded(crawl.id)
  expect(ended).toMatchObject({ status: 'FAILED', errors: [{ message: expect.stringContaining('deleted') }] })
  expect(await catalog.byUid('slow.people.csv')).toMatchObject({ isDeleted: true })
})

it('given the process dies after it took the lock for a crawl, then the next start of the service starts that crawl', async () => {
  const { id, crawl: last } = await catalog.assembly('sales')
  const handler = handlerOf(catalog)
  const of = { at: isoTime(Date.now()), by: 'ann', crawlId: 99, replaces: last.id }
  const command = { type: 'BeginCrawl', ...of } as const
  await handler.handle(assemblyAggregate, { tenant: 'default', id, command, context: { actor: 'ann' } })
  await catalog.stop()
  catalog = await catalog.again()
  await vi.waitFor(() => catalog.call('getCrawl', { params: { id: '99' } }), waiting20s)
  expect(await catalog.crawlEnded(99)).toMatchObject({ status: 'SUCCESSFUL', assemblyId: id })
})

describe('crawls of several instances', () => {
  it('given an instance that stops renewing its claim, then another continues the crawl once the claim expires, and not before', async () => {
    catalog.engine.finds = ['wait']
    const body = { name: 'slow', sourceType: 'FILE', configuration: { path: '/data' } }
    const { body: made } = await catalog.call('createAssembly', { body })
    const crawl = await catalog.lastCrawl(made.data.id)
    await vi.waitFor(async () => expect((await catalog.events('crawl')).length).toBe(2), waiting20s)
    await catalog.kill()
    let ahead = 0
    const timers = heldEvery(5_000)
    const clock = { now: () => Date.now() + ahead }
    catalog = await catalog.again({ dependencies: { soleInstance: false, clock, timers } })
    const params = { id: String(crawl.id) }
    expect((await catalog.call('getCrawl', { params })).body.data.status).toBe('RUNNING')
    ahead = 20_001
    await vi.waitFor(async () => {
      // The first sweep may still be in progress.
      timers.tick()
      expect((await catalog.lastCrawl(made.data.id)).status).toBe('SUCCESSFUL')
    }, waiting20s)
    expect((await catalog.crawl(made.data.id)).status).toBe('SUCCESSFUL')
  })
})

describe('an instance that was paused while another took over its crawl', () => {
  it('when it resumes, then it marks no asset as deleted, and the crawl keeps the result of the other instance', async () => {
    const awake = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const began = Promise.withResolvers<void>()
    const engine = createFakeEngine()
    engine.discover = async function* () {
      began.resolve()
      yield people()
      await awake.promise
    }
    const renewals = { stop: () => ended.resolve() }
    const timers: SecondTimers = {
      ...systemTimers,
      // The claim of a crawl is renewed until the crawl ends.
      every: (milliseconds, work) => (milliseconds === 5_000 ? renewals : systemTimers.every(milliseconds, work)),
    }
    let time = 0
    await catalog.stop()
    const asleep = await catalog.again({
      engine,
      dependencies: { soleInstance: false, clock: { now: () => time }, timers },
    })
    const ticks = heldEvery(5_000)
    catalog = await catalog.again({
      engine: createFakeEngine([people(), orders()]),
      dependencies: { soleInstance: false, timers: ticks },
    })
    try {
      const body = { name: 'slow', sourceType: 'FILE', configuration: { path: '/data' } }
      const { body: made } = await asleep.call('createAssembly', { body })
      const crawl = await asleep.lastCrawl(made.data.id)
      await began.promise
      await vi.waitFor(async () => {
        ticks.tick()
        expect(await catalog.lastCrawl(made.data.id)).toMatchObject({ status: 'SUCCESSFUL', found: 2 })
      }, waiting20s)
      time = Date.now()
      awake.resolve()
      await ended.promise
      expect(await catalog.byUid('slow.2026.orders.csv')).toMatchObject({ isDeleted: false })
      expect(await catalog.crawlEnded(crawl.id)).toMatchObject({ status: 'SUCCESSFUL', found: 2, removed: 0 })
    } finally {
      await asleep.stop()
    }
  })
})

describe('a crawl that is cancelled by another instance', () => {
  it('given the next crawl finds more tables, when the cancelled crawl ends, then these tables are not marked as deleted', async () => {
    const gate = Promise.withResolvers<void>()
    const engine = createFakeEngine()
    engine.discover = async function* () {
      yield people()
      await gate.promise
    }
    await catalog.stop()
    catalog = await catalog.again({ dependencies: { soleInstance: false } })
    // It renews no claim, so it does not learn of the cancel before its end.
    const hasFailed = Promise.withResolvers<void>()
    const timers = heldEvery(5_000)
    // The pause of a crawl whose end is not confirmed.
    const sleep: typeof timers.sleep = (milliseconds, signal) => {
      if (milliseconds === 2_000) hasFailed.resolve()
      return timers.sleep(milliseconds, signal)
    }
    const slow = await catalog.again({ engine, dependencies: { soleInstance: false, timers: { ...timers, sleep } } })
    try {
      const body = { name: 'slow', sourceType: 'FILE', configuration: { path: '/data' } }
      const id = (await slow.call('createAssembly', { body })).body.data.id
      const crawl = await slow.lastCrawl(id)
      await vi.waitFor(() => catalog.byUid('slow.people.csv'), waiting20s)
      await catalog.call('cancelCrawl', { params: { id: String(crawl.id) } })
      catalog.engine.finds = [people(), orders()]
      expect(await catalog.crawl(id)).toMatchObject({ status: 'SUCCESSFUL' })
      gate.resolve()
      const isDeleted = async () => (await catalog.byUid('slow.2026.orders.csv')).isDeleted
      await Promise.race([hasFailed.promise, vi.waitFor(async () => expect(await isDeleted()).toBe(true), waiting20s)])
      expect(await isDeleted()).toBe(false)
    } finally {
      await slow.stop()
    }
  })
})

describe('an assembly that is deleted by another instance', () => {
  it('given a crawl that finds more tables afterwards, then it is ABORTED and leaves no live asset', async () => {
    const gate = Promise.withResolvers<void>()
    const engine = createFakeEngine()
    engine.discover = async function* () {
      yield people()
      await gate.promise
      yield orders()
    }
    await catalog.stop()
    catalog = await catalog.again({ dependencies: { soleInstance: false } })
    // It renews no claim, so it does not learn of the deletion before its end.
    const slow = await catalog.again({ engine, dependencies: { soleInstance: false, timers: heldEvery(5_000) } })
    try {
      const body = { name: 'slow', sourceType: 'FILE', configuration: { path: '/data' } }
      const params = { id: String((await slow.call('createAssembly', { body })).body.data.id) }
      const crawl = await slow.lastCrawl(Number(params.id))
      await vi.waitFor(() => catalog.byUid('slow.people.csv'), waiting20s)
      await catalog.call('deleteAssembly', { params })
      expect(await catalog.crawlEnded(crawl.id)).toMatchObject({ status: 'ABORTED' })
      gate.resolve()
      await vi.waitFor(async () => {
        const found = await Promise.all(['slow.people.csv', 'slow.2026.orders.csv'].map((uid) => catalog.byUid(uid)))
        expect(found.map(({ isDeleted }) => isDeleted)).toEqual([true, true])
      }, waiting20s)
    } finally {
      await slow.stop()
    }
  })
})

describe('a schedule', () => {
  const hourMs = 3_600_000
  /** The assemblies are created in the middle of an hour, and their schedule is due at its end. */
  const clock = { ahead: 0, now: () => Date.parse('2026-11-20T10:30:00.000Z') + clock.ahead }
  const ticks = createTicks()
  const timers = { ...systemTimers, everySecond: ticks.everySecond }
  const scheduled = { dependencies: { clock, timers, soleInstance: false } }
  beforeEach(async () => {
    clock.ahead = 0
    await catalog.stop()
    catalog = await catalog.again(scheduled)
  })

  async function hourly(): Promise<number> {
    const body = { name: 's', sourceType: 'FILE', configuration: { path: '/data' }, schedule: '0 * * * *' }
    const { body: made } = await catalog.call('createAssembly', { body })
    await catalog.crawlEnded((await catalog.lastCrawl(made.data.id)).id)
    return made.data.id
  }
  const count = async (id: number) => (await catalog.call('listCrawls', { params: { id: String(id) } })).body.meta.count
  const skips = async () => (await catalog.events('assembly')).filter(({ type }) => type === 'AssemblyCrawlSkipped')

  it('when a crawl is due, then one of several replicas starts it, once', async () => {
    const id = await hourly()
    const otherTicks = createTicks()
    const others = { clock, timers: { ...systemTimers, everySecond: otherTicks.everySecond }, soleInstance: false }
    const other = await catalog.again({ dependencies: others })
    clock.ahead = hourMs / 2
    // The other replica checks after the crawl has ended.
    for (const { tick } of [ticks, otherTicks, ticks]) {
      tick()
      await vi.waitFor(async () => expect(await count(id)).toBe(2), waiting20s)
      await catalog.crawlEnded((await catalog.lastCrawl(id)).id)
    }
    await other.stop()
    expect([await count(id), await skips()]).toEqual([2, []])
  })

  it('when a crawl is due while nothing runs, then the next start begins it if it is at most an hour late, and else skips it', async () => {
    const id = await hourly()
    await catalog.stop()
    clock.ahead = 7 * hourMs
    catalog = await catalog.again(scheduled)
    await vi.waitFor(async () => expect(await count(id)).toBe(2), waiting20s)
    await catalog.crawlEnded((await catalog.lastCrawl(id)).id)
    const params = { id: String(id) }
    const daily = { name: 's', sourceType: 'FILE', configuration: { path: '/data' }, schedule: '0 18 * * *' }
    await catalog.call('updateAssembly', { params, body: daily })
    await catalog.stop()
    clock.ahead = 10 * hourMs
    catalog = await catalog.again(scheduled)
    await vi.waitFor(async () => expect(await skips()).toHaveLength(1), waiting20s)
    expect((await skips())[0]?.data).toMatchObject({
      scheduled: { nominal: '2026-11-20T18:00:00.000Z', next: '2026-11-21T18:00:00.000Z' },
      reason: expect.stringContaining('within an hour'),
    })
    expect(await count(id)).toBe(2)
  })

  it('when a crawl is due while the last one runs, then it is skipped', async () => {
    catalog.engine.finds = ['wait']
    const body = { name: 's', sourceType: 'FILE', configuration: { path: '/data' }, schedule: '0 * * * *' }
    const { body: made } = await catalog.call('createAssembly', { body })
    clock.ahead = hourMs / 2
    ticks.tick()
    await vi.waitFor(async () => expect(await skips()).toHaveLength(1), waiting20s)
    expect((await skips())[0]?.data).toMatchObject({ reason: expect.stringContaining('is running') })
    expect(await count(made.data.id)).toBe(1)
  })
})
