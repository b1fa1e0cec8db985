import { executionKinds, type ItemRecord, type Permission, type RuleAnswer } from '@assay/contracts'
import type { DataEngine, KeptRowFiles, MetricResult } from '@assay/data-engine'
import { type CollectionShape, documentPut } from '@assay/documents'
import { createCommandHandler, rebuild } from '@assay/event-store'
import { dayMs, dayOf, summaryOf } from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { executions } from '../execution/execution.documents.ts'
import { tagCopyPut } from '../references/copies.ts'
import { createRetention } from '../retention/retention.ts'
import { executionAggregates, executionCollections } from '../service.ts'
import { createFakeEngine } from '../testing/fake-engine.ts'
import { associationFixture, itemFixture, policyFixture, tableFixture, tagFixture } from '../testing/fixtures.ts'
import { bodyOf, createManualTimers, eventually, type Harness, idOf, openHarness } from '../testing/harness.ts'
import { seriesDays, seriesRuns } from './series.documents.ts'
import { seriesDayId } from './series-day.ts'

const { start, result, series, feedback, whatIf } = executionKinds.DATA_QUALITY
const minute = 60_000

/** The values that the engine measures, by column. */
let measured: Record<string, string>
let harness: Harness
beforeEach(async () => {
  measured = { amount: '1000', order_id: '5' }
  const engine = createFakeEngine()
  const valued: DataEngine & KeptRowFiles = {
    ...engine,
    measure: async (plan, options) => {
      const metrics = plan.metrics.map((metric): MetricResult => {
        const column = metric.kind === 'aggregate' ? metric.column : null
        return { id: metric.id, kind: 'value', scanned: 100, value: measured[column ?? ''] ?? '0' }
      })
      return { ...(await engine.measure(plan, options)), metrics }
    },
  }
  harness = await openHarness({ engine: valued })
  await harness.table(tableFixture())
})
afterEach(() => harness.close())

const sumOf = (columnName: string, thresholdConfig: ItemRecord['thresholdConfig'], changes: Partial<ItemRecord> = {}) =>
  itemFixture({ measurementType: 'AGGREGATES', aggregateType: 'SUM', columnName, thresholdConfig, ...changes })
const looksBack = { success: null, warning: null }
const relative = (window = 10) => ({
  type: 'RELATIVE' as const,
  ...looksBack,
  config: { direction: 'CHANGES_BY', operator: 'LTE', unit: 'PERCENTAGE', isDirectional: false, success: 10 },
  operationalConfig: { lookBack: { window, windowType: 'RUNS' } },
})
const stale = (minutes: number) => ({
  type: 'TIME_BASED' as const,
  ...looksBack,
  config: { lookBackWindowType: 'MINUTES', successLookBackWindow: minutes },
})

const protectAmount = () =>
  harness.deps.documents.put([
    tagCopyPut('default', tagFixture(), '0000000000000000001'),
    tagCopyPut('default', associationFixture(13), '0000000000000000001'),
  ])

let revision = 0
async function policyOf(item: ItemRecord, rule: Partial<RuleAnswer['rule']> = {}): Promise<void> {
  revision += 1
  await harness.policy({ ...policyFixture({ verdictBy: 'ITEMS', version: revision, ...rule }, [item]), revision })
}

/** Runs the policy to its end and returns the item's verdict. */
const run = async (request: object = {}) => (await endedRun(request)).items[0]?.status

async function endedRun(request: object = {}) {
  const id = idOf(await harness.call(start, { params: { id: 7 }, body: request }))
  const ended = await eventually(
    async () => bodyOf(await harness.call(result, { params: { id } })),
    ({ execution }) => execution.executionStatus !== 'RUNNING',
  )
  await eventually(
    async () => (await harness.deps.store.read('default/policyruns-7')).events.at(-1)?.type,
    (last) => last !== 'RunOpened',
  )
  harness.clock.time += 5 * minute
  return ended
}

describe('a value that does not change', () => {
  it('is stale after the window, however many runs it has', async () => {
    await policyOf(sumOf('amount', stale(505)))
    const verdicts: unknown[] = []
    for (let runs = 0; runs < 103; runs += 1) verdicts.push(await run())
    expect(verdicts.slice(0, 101)).toEqual(Array.from({ length: 101 }, () => 'SUCCESSFUL'))
    expect(verdicts.slice(101)).toEqual(['ERRORED', 'ERRORED'])
    measured.amount = '1001'
    expect(await run()).toBe('SUCCESSFUL')
    expect(await run()).toBe('SUCCESSFUL')
  }, 60_000)
})

describe('a policy that runs soon after midnight', () => {
  it('has the same days of the week before and after a change of clocks', async () => {
    const config = { successSensitivityLevel: 'MEDIUM' as const }
    const usual = sumOf('amount', { type: 'ANOMALY', ...looksBack, config })
    await policyOf(usual, { schedule: '30 1 * * *', timeZone: 'Europe/Berlin' })
    harness.clock.time = Date.parse('2026-11-08T00:30:00.000Z')
    measured.amount = '100'
    const { execution } = await endedRun()
    const { documents } = harness.deps
    const first = (await documents.get(seriesRuns, 'default', execution.id))?.document
    const keys = Object.keys(first?.points ?? {})
    const source = { revision: 0, position: '0000000000000000001' }
    // Eight weeks of runs at 01:30 in Berlin, the last two in winter time. Each Sunday has less.
    const puts = Array.from({ length: 56 }, (_, index) => {
      const ago = index + 1
      const at = Date.parse('2026-11-08T00:30:00.000Z') - ago * dayMs - (ago > 13 ? 3_600_000 : 0)
      const points = Object.fromEntries(keys.map((key) => [key, String((ago % 7 === 0 ? 100 : 1000) + (ago % 3))]))
      const summaries = Object.fromEntries(
        Object.entries(points).flatMap(([key, value]) => {
          const summary = summaryOf([{ at, value }])
          return summary === undefined ? [] : [[key, summary]]
        }),
      )
      const id = 1_000 + ago
      const day = { policyId: 7, day: dayOf(at), runs: [{ executionId: id, at }], summaries, periods: [], marks: [] }
      return [
        documentPut(seriesRuns, 'default', id, { executionId: id, policyId: 7, at, points }, source),
        documentPut(seriesDays, 'default', seriesDayId(7, at), day, source),
      ]
    })
    await documents.put(puts.flat())
    expect((await endedRun()).items).toMatchObject([{ status: 'SUCCESSFUL', anomalies: [{ fired: false }] }])
    measured.amount = '1000'
    const { items } = await endedRun()
    expect(items).toMatchObject([{ status: 'ERRORED', anomalies: [{ fired: true, reason: /this day of the week/ }] }])
  })
})

describe('a comparison with history', () => {
  const others = { name: 'renamed', weightage: 7, thresholdConfig: relative(3) }
  it('uses values of the same measurement: another column starts a new series; name, weight and threshold do not', async () => {
    await policyOf(sumOf('amount', relative()))
    expect(await run()).toBe('SUCCESSFUL')
    await policyOf(sumOf('order_id', relative()))
    expect(await run()).toBe('SUCCESSFUL')
    measured.order_id = '6'
    await policyOf(sumOf('order_id', relative(), others))
    expect(await run()).toBe('ERRORED')
    measured.amount = '2000'
    await policyOf(sumOf('amount', relative(), { id: 9 }))
    expect(await run()).toBe('ERRORED')
  })
  it('uses values with the same filters', async () => {
    await policyOf(sumOf('amount', relative()))
    await run()
    measured.amount = '10'
    await policyOf(sumOf('amount', relative()), { filter: 'order_id > 5' })
    expect(await run()).toBe('SUCCESSFUL')
    measured.amount = '20'
    await policyOf(sumOf('amount', relative(), { filter: 'amount > 5' }), { filter: 'order_id > 5' })
    expect(await run()).toBe('SUCCESSFUL')
    await policyOf(sumOf('amount', relative()), { filter: 'order_id > 5' })
    expect(await run()).toBe('ERRORED')
  })
  it('uses values of full runs: a run over selected rows has no history and adds none', async () => {
    const markerConfigs = [
      { assetId: 11, markerConfig: { type: 'bound', idColumnName: 'order_id', fromId: 1, toId: 2 } },
    ]
    await policyOf(sumOf('amount', relative()))
    await run()
    measured.amount = '10'
    const selective = { executionType: 'SELECTIVE', markerConfigs }
    expect(await run(selective)).toBe('SUCCESSFUL')
    measured.amount = '1000'
    expect(await run()).toBe('SUCCESSFUL')
    expect(await run(selective)).toBe('SUCCESSFUL')
  })
  it('uses scores of the same items', async () => {
    const limit = { operator: 'GT', value: 500 }
    const scored = (changes: Partial<ItemRecord>) =>
      itemFixture({ measurementType: 'AGGREGATES', aggregateType: 'SUM', value: limit, ...changes })
    const rule = { verdictBy: 'SCORE' as const, thresholdLevel: relative() }
    await policyOf(scored({}), rule)
    await run()
    await policyOf(scored({ value: { operator: 'LT', value: 500 } }), rule)
    expect((await endedRun()).execution.resultStatus).toBe('SUCCESSFUL')
  })
})

describe('the series of a policy', () => {
  const pointsOf = async (query: object = {}, without: Permission[] = []) =>
    bodyOf(await harness.call(series, { params: { id: 7 }, query, without }))

  it('has the points as they were judged, newest run first, in parts', async () => {
    await policyOf(sumOf('amount', relative()))
    await run()
    measured.amount = '3000'
    await run()
    const { points, next } = await pointsOf()
    expect(next).toBe(null)
    expect(points.map(({ metric, value, lower, upper, fired }) => [metric, value, lower, upper, fired])).toEqual([
      ['NUMBER', 3000, 900, 1100, true],
      ['SCORE', 0, null, null, false],
      ['NUMBER', 1000, null, null, false],
      ['SCORE', 100, null, null, false],
    ])
    expect(points[0]).toMatchObject({ columnName: 'amount', feedback: null })
    const itemId = String(points[0]?.ruleItemId)
    const newest = await pointsOf({ runs: '1', itemId })
    expect(newest.points).toEqual([points[0]])
    expect(await pointsOf({ to: newest.next, itemId })).toEqual({ points: [points[2]], next: null })
    expect((await pointsOf({ from: points[0]?.at })).points).toEqual(points.slice(0, 2))
  })
  it('given runs with thousands of points, then an answer has ten thousand and the time at which the next one continues', async () => {
    await policyOf(sumOf('amount', relative()))
    const { documents } = harness.deps
    for (let count = 0; count < 3; count += 1) {
      await run()
      const [state] = (
        await documents.find(executions, 'default', { sort: [{ field: 'id', direction: 'desc' }], size: 1 })
      ).documents
      if (state?.status !== 'succeeded') throw new Error('The run did not succeed.')
      const [point] = state.result.judged ?? []
      const judged = Array.from({ length: 6000 }, () => point).filter((one) => one !== undefined)
      const wide = { ...state, result: { ...state.result, judged } }
      const source = { revision: 1_000, position: '9'.repeat(19) }
      await documents.put([documentPut(executions, 'default', state.run.executionId, wide, source)])
    }
    const { points, next } = await pointsOf()
    expect([points.length, new Set(points.map(({ executionId }) => executionId)).size]).toEqual([12_000, 2])
    const others = await pointsOf({ to: next })
    expect([others.points.length, others.next]).toEqual([6000, null])
  })
  it('does not show values of protected columns without the permission', async () => {
    await policyOf(sumOf('amount', relative()))
    await run()
    expect((await pointsOf({}, ['ASSET_PROTECTED_VIEW'])).points).toHaveLength(2)
    await protectAmount()
    expect((await pointsOf({}, ['ASSET_PROTECTED_VIEW'])).points).toEqual([])
    expect((await pointsOf()).points).toHaveLength(2)
  })
})

describe('feedback on points', () => {
  const give = async (id: number, body: object, without: Permission[] = []) =>
    bodyOf(await harness.call(feedback, { params: { id }, body, without }))
  const eventsOf = async (id: number) => {
    const at = (await harness.deps.documents.get(seriesRuns, 'default', id))?.document.at ?? 0
    const { events } = await harness.deps.store.read(`default/series-${seriesDayId(7, at)}`)
    return events.filter(({ type }) => type === 'FeedbackGiven')
  }

  it('excludes an anomaly until it is called normal; a new normal excludes the earlier points', async () => {
    await policyOf(sumOf('amount', relative()))
    const { execution } = await endedRun()
    measured.amount = '3000'
    const odd = await endedRun()
    expect(odd.items[0]?.status).toBe('ERRORED')
    const { points } = await give(odd.execution.id, { feedback: 'ANOMALY', comment: 'A double load.' })
    expect(points).toMatchObject([{ metric: 'NUMBER', value: 3000, fired: true, feedback: 'ANOMALY' }])
    await give(odd.execution.id, { feedback: 'ANOMALY' })
    expect(await eventsOf(odd.execution.id)).toHaveLength(1)
    measured.amount = '1000'
    expect(await run()).toBe('SUCCESSFUL')
    await give(odd.execution.id, { feedback: 'NORMAL' })
    const { points: all } = bodyOf(await harness.call(series, { params: { id: 7 } }))
    expect(all.filter((point) => point.feedback !== null)).toMatchObject([{ value: 3000, feedback: 'NORMAL' }])
    expect(bodyOf(await harness.call(result, { params: { id: odd.execution.id } })).items).toEqual(odd.items)
    expect(await run()).toBe('ERRORED')
    measured.amount = '3000'
    harness.clock.time += 30 * 24 * 60 * minute
    await give(odd.execution.id, { feedback: 'NEW_NORMAL', metric: 'NUMBER', columnName: 'amount' })
    measured.amount = String((3000 + 1000 + 1000) / 3)
    expect(await run()).toBe('SUCCESSFUL')
    const published = harness.bus.published.flatMap(({ message }) =>
      /FeedbackGiven$/.test(message.type) ? [message.data] : [],
    )
    expect(published).toMatchObject([
      { data: { before: { feedback: null }, feedback: 'ANOMALY', comment: 'A double load.' } },
      { data: { before: { feedback: 'ANOMALY' }, feedback: 'NORMAL' } },
      { data: { before: { feedback: 'NORMAL' }, feedback: 'NEW_NORMAL' } },
    ])
    await expect(give(execution.id, { feedback: 'NORMAL' })).rejects.toMatchObject({ code: 'unprocessable' })
  })
  it('is refused for points that the caller may not see', async () => {
    await policyOf(sumOf('amount', relative()))
    const { execution } = await endedRun()
    const normal = { feedback: 'NORMAL', metric: 'NUMBER' }
    await protectAmount()
    const refused = give(execution.id, normal, ['ASSET_PROTECTED_VIEW'])
    await expect(refused).rejects.toMatchObject({ code: 'unprocessable' })
    expect((await give(execution.id, normal)).points).toHaveLength(1)
  })
})

describe('what-if', () => {
  const ask = async (body: object, without: Permission[] = []) =>
    bodyOf(await harness.call(whatIf, { params: { id: 7 }, body, without }))
  const anomaly = { type: 'ANOMALY' as const, ...looksBack, config: { successSensitivityLevel: 'LOW' as const } }

  it('judges stored values by other thresholds; unchanged ones give the verdicts of the runs; it stores nothing', async () => {
    await policyOf(sumOf('amount', anomaly))
    for (const value of [1000, 1010, 990, 1005, 995, 1000, 1003, 1100, 998]) {
      measured.amount = String(value)
      await run()
      harness.clock.time += 24 * 60 * minute
    }
    const { points } = bodyOf(await harness.call(series, { params: { id: 7 } }))
    const itemId = points.find(({ metric }) => metric === 'NUMBER')?.ruleItemId
    const before = (await harness.deps.store.readAll({ limit: 10_000 })).events.length
    const same = await ask({})
    expect(same.points).toEqual(points)
    expect(same.expectedFalseAlarmsPerMonth).toBeGreaterThan(0)
    const within = (success: number) => ({ ...relative(3), config: { ...relative(3).config, success } })
    const asking = (success: number) => ({ items: [{ id: itemId, thresholdConfig: within(success) }] })
    expect((await ask(asking(20))).firedCount).toBe(0)
    const alarms = await ask(asking(5))
    expect(alarms.points.filter(({ fired }) => fired).map(({ value }) => value)).toEqual([1100])
    expect([alarms.firedCount, alarms.expectedFalseAlarmsPerMonth]).toEqual([1, null])
    expect((await ask({ ...asking(5), from: points[0]?.at })).firedCount).toBe(0)
    expect((await harness.deps.store.readAll({ limit: 10_000 })).events).toHaveLength(before)
    await expect(ask({ items: [{ id: 999, isWarning: true }] })).rejects.toMatchObject({ code: 'invalid' })
    await expect(ask({ rule: { severity: { added: 'ERROR' } } })).rejects.toMatchObject({ code: 'invalid' })
    await protectAmount()
    expect((await ask({}, ['ASSET_PROTECTED_VIEW'])).points).toEqual([])
  })

  it.each<[string, Partial<ItemRecord>, (id: number) => object]>([
    ['rule.thresholdLevel.config.success', {}, () => ({ rule: { thresholdLevel: above(150) } })],
    ['rule.thresholdLevel.config.warning', {}, () => ({ rule: { thresholdLevel: above(90, 0.8) } })],
    ['rule.thresholdLevel.config.unit', {}, () => ({ rule: { thresholdLevel: failedRows } })],
    [
      'items[0].thresholdConfig.config.success',
      { value: { operator: 'GTE', value: 1 } },
      (id) => ({ items: [{ id, thresholdConfig: above(101) }] }),
    ],
  ])('refuses %s where a policy could not have it', async (path, changes, bodyFor) => {
    const item = sumOf('amount', relative(), changes)
    await policyOf(item)
    await expect(ask(bodyFor(item.id))).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining(path),
    })
  })
})

const above = (success: number, warning?: number) => ({
  type: 'ABSOLUTE',
  config: { direction: 'ABOVE', success, ...(warning === undefined ? {} : { warning }) },
})
const failedRows = { type: 'ABSOLUTE', config: { unit: 'ROWS', direction: 'BELOW', success: 3 } }

describe('a process that dies after the end of a run, before it adds the points', () => {
  it('given the next start, then the points are added before it, and once', async () => {
    let isBroken = true
    const commit: Harness['deps']['commit'] = async (append, puts) => {
      if (isBroken && append.stream.includes('/series-')) throw new AssayError('unavailable', 'The process dies here.')
      return harness.deps.commit(append, puts)
    }
    await policyOf(sumOf('amount', relative()))
    await harness.service.stop()
    const first = harness.another({ commit, timers: createManualTimers() })
    await first.start()
    const id = idOf(await harness.call(start, { params: { id: 7 } }, first))
    await eventually(
      async () => (await harness.deps.documents.get(seriesRuns, 'default', id))?.document.executionId,
      (found) => found === id,
    )
    await first.stop()
    expect(await harness.deps.documents.find(seriesDays, 'default', { size: 1 })).toMatchObject({ count: 0 })
    isBroken = false
    const second = harness.another({ timers: createManualTimers() })
    await second.start()
    harness.clock.time += 5 * minute
    measured.amount = '2000'
    const next = idOf(await harness.call(start, { params: { id: 7 } }, second))
    const ended = await eventually(
      async () => bodyOf(await harness.call(result, { params: { id: next } })),
      ({ execution }) => execution.executionStatus !== 'RUNNING',
    )
    expect(ended.items[0]?.status).toBe('ERRORED')
    const { events } = await harness.deps.store.read(`default/series-${seriesDayId(7, harness.clock.time)}`)
    expect(events[0]).toMatchObject({ type: 'SeriesPointsAdded', data: { executionId: id } })
    expect(new Set(events.map(({ data }) => data.executionId)).size).toBe(events.length)
  })
})

describe('stores without a common transaction', () => {
  it('have the documents for look-backs before the next run starts, even if a write failed', async () => {
    const commit: Harness['deps']['commit'] = (append, puts) =>
      harness.deps.commit(append, (appended) =>
        puts(appended).filter(
          ({ collection }) => collection.name !== seriesDays.name && collection.name !== seriesRuns.name,
        ),
      )
    await policyOf(sumOf('amount', relative()))
    await harness.service.stop()
    const failing = harness.another({ commit, timers: createManualTimers() })
    await failing.start()
    const id = idOf(await harness.call(start, { params: { id: 7 } }, failing))
    await eventually(
      async () => bodyOf(await harness.call(result, { params: { id } }, failing)),
      ({ execution }) => execution.executionStatus !== 'RUNNING',
    )
    await harness.call(start, { params: { id: 7 } }, failing)
    expect(await harness.deps.documents.find(seriesDays, 'default', { size: 1 })).toMatchObject({ count: 1 })
    const { document } = (await harness.deps.documents.get(seriesRuns, 'default', id)) ?? {}
    expect(document?.executionId).toBe(id)
    await failing.stop()
  })
})

describe('documents of series', () => {
  const all = async () => {
    const found: unknown[] = []
    const collections: readonly CollectionShape[] = [seriesDays, seriesRuns, executions]
    for (const collection of collections)
      for await (const document of harness.deps.documents.scan(collection)) found.push(document)
    return JSON.stringify(found)
  }
  const rebuilt = () => {
    const collections = executionCollections.map(({ name }) => name)
    const target = harness.rebuildTarget(collections)
    return rebuild({ store: harness.deps.store, aggregates: executionAggregates, collections, target })
  }

  it('are rebuilt from the log byte for byte, and removed when no look-back reaches them', async () => {
    await policyOf(sumOf('amount', relative()))
    await run()
    await run()
    harness.clock.time += 24 * 60 * minute
    await run()
    const before = await all()
    await rebuilt()
    expect(await all()).toBe(before)

    const retention = createRetention({ ...harness.deps, commands: createCommandHandler(harness.deps) })
    harness.clock.time += 431 * 24 * 60 * minute
    await retention.sweep()
    const count = async () => [
      (await harness.deps.documents.find(seriesDays, 'default', { size: 1 })).count,
      (await harness.deps.documents.find(seriesRuns, 'default', { size: 1 })).count,
    ]
    expect(await count()).toEqual([1, 1])
    const after = await all()
    await rebuilt()
    expect(await all()).toBe(after)
  })
})
