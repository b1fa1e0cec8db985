import { executionKinds, internalTopics, incidentOperations as operations, publicTopics } from '@assay/contracts'
import { rebuild } from '@assay/event-store'
import { dueBook } from '@assay/work'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { tagCopyPut } from '../references/copies.ts'
import { executionAggregates, executionCollections } from '../service.ts'
import { associationFixture, itemFixture, policyFixture, tableFixture, tagFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, idOf, openHarness } from '../testing/harness.ts'
import { incidents } from './incident.documents.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
})
afterEach(() => harness.close())

/** 97 of 100 rows pass. */
const needs = (success: number, revision = 0) => {
  const thresholdConfig = {
    type: 'ABSOLUTE' as const,
    config: { direction: 'ABOVE', success, warning: success - 2 },
    ...{ success, warning: success - 2 },
  }
  return harness.policy({
    ...policyFixture({ version: 3 + revision, verdictBy: 'ITEMS' }, [
      itemFixture({ measurementType: 'RANGE_MATCH', value: { min: 0 }, thresholdConfig }),
    ]),
    revision,
  })
}
const { start, result } = executionKinds.DATA_QUALITY
async function run(): Promise<number> {
  harness.clock.time += 60_000
  const id = idOf(await harness.call(start, { params: { id: 7 } }))
  await eventually(
    async () => bodyOf(await harness.call(result, { params: { id } })),
    ({ execution }) => execution.executionStatus !== 'RUNNING',
  )
  return id
}
const list = async (query = {}, more = {}) => bodyOf(await harness.call(operations.listIncidents, { query, ...more }))
const change = async (id: number, body: object) =>
  harness.call(operations.changeIncident, { params: { id: String(id) }, body })

describe('incidents of a policy', () => {
  it('open, worsen and recover with its verdicts, and lists filter and page them', async () => {
    await needs(98)
    const first = await run()
    expect((await list()).data).toMatchObject([
      { id: first, policyId: 7, policyName: 'orders are sound', assetId: 11, status: 'OPEN', verdict: 'WARNING' },
    ])
    await needs(100, 1)
    const second = await run()
    await needs(90, 2)
    await run()
    await needs(100, 3)
    const schemaChangedAt = new Date(harness.clock.time).toISOString()
    await harness.table(tableFixture({ assetId: 30, uid: 'sales.prices.csv', name: 'prices.csv', schemaChangedAt }))
    const other = await run()
    expect(bodyOf(await harness.call(operations.getIncident, { params: { id: String(other) } })).hints).toMatchObject([
      { kind: 'POLICY_CHANGED', relation: 'SAME', assetId: 11 },
      { kind: 'SCHEMA_CHANGED', relation: 'ASSEMBLY', assetUid: 'sales.prices.csv', at: schemaChangedAt },
    ])
    const ids = async (query: object) => (await list(query)).data.map(({ id }) => id)
    expect(await ids({})).toEqual([other, first])
    expect(await list({ size: '1', page: '1' })).toMatchObject({
      data: [{ id: first, status: 'RECOVERED', verdict: 'ERRORED', count: 2, executions: [first, second] }],
      meta: { count: 2 },
    })
    expect(await ids({ status: 'open,snoozed', policyId: '7', assetIds: '13' })).toEqual([other])
    expect(await ids({ policyId: '8' })).toEqual([])
    expect(await ids({ assetIds: '99' })).toEqual([])
    expect(await list({}, { tenant: 'other' })).toMatchObject({ data: [], meta: { count: 0 } })
    await expect(change(first, { acknowledged: true })).rejects.toMatchObject({ code: 'unprocessable' })
    const rebuilt: unknown[] = []
    await rebuild({
      store: harness.deps.store,
      aggregates: executionAggregates,
      collections: executionCollections,
      target: {
        begin: async () => undefined,
        put: async (puts) => {
          rebuilt.push(
            ...puts.filter(({ collection }) => collection.name === incidents.name).map((put) => put.document),
          )
        },
        commit: async () => undefined,
      },
    })
    expect(rebuilt.at(-1)).toEqual((await harness.deps.documents.get(incidents, 'default', other))?.document)
    expect(rebuilt).toContainEqual((await harness.deps.documents.get(incidents, 'default', first))?.document)
  })

  it('have a hint if the files of a table that their view reads changed', async () => {
    await needs(90)
    await run()
    const changedAt = new Date(harness.clock.time + 1_000).toISOString()
    const data = { lastChangedAt: changedAt, rowCount: 5, sizeBytes: 50, fileCount: 2 }
    await harness.table(tableFixture({ assetId: 30, uid: 'sales.prices.csv', name: 'prices.csv', data }))
    await harness.table(tableFixture({ revision: 5, sourceIds: [30] }))
    await needs(100, 1)
    const { hints } = bodyOf(await harness.call(operations.getIncident, { params: { id: String(await run()) } }))
    expect(hints).toContainEqual({
      ...{ kind: 'FILES_CHANGED', relation: 'UPSTREAM', assetId: 30, assetUid: 'sales.prices.csv', at: changedAt },
      text: 'The files of sales.prices.csv changed.',
    })
  })

  it('are acknowledged, assigned, snoozed until a time and closed, also after a restart', async () => {
    await needs(100)
    const id = await run()
    const until = new Date(harness.clock.time + 60_000).toISOString()
    const { body } = await change(id, { acknowledged: true, assignee: 'bob', snoozedUntil: until })
    expect(body).toMatchObject({ status: 'SNOOZED', acknowledgedBy: 'ann', assignee: 'bob', snoozedUntil: until })
    await harness.service.stop()
    const restarted = harness.another()
    await restarted.start()
    const shown = async () =>
      bodyOf(await harness.call(operations.getIncident, { params: { id: String(id) } }, restarted)).status
    harness.timers.tick()
    expect(await shown()).toBe('SNOOZED')
    harness.clock.time += 60_000
    await eventually(
      async () => {
        harness.timers.tick()
        return shown()
      },
      (status) => status === 'ACKNOWLEDGED',
    )
    const due = await harness.deps.documents.find(dueBook, 'system', { size: 10 })
    expect(due.documents).toEqual([])
    expect((await change(id, { status: 'CLOSED', cause: 'late file' })).body).toMatchObject({
      status: 'CLOSED',
      closedBy: 'ann',
      cause: 'late file',
    })
  })

  it('are refused with the reason if a change is not complete, and are not found elsewhere', async () => {
    await needs(100)
    const id = await run()
    await expect(change(id, {})).rejects.toThrow('at least one of')
    await expect(change(id, { cause: 'late file' })).rejects.toThrow('cause')
    await expect(change(99, { acknowledged: true })).rejects.toMatchObject({ code: 'not-found' })
    const params = { id: String(id) }
    await expect(harness.call(operations.getIncident, { params, tenant: 'other' })).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  it('look like missing ones to callers from whom their verdicts are hidden, and are not published', async () => {
    await harness.deps.documents.put([
      tagCopyPut('default', tagFixture(), '1'),
      tagCopyPut('default', associationFixture(13), '2'),
    ])
    await needs(100)
    const id = await run()
    const without = ['ASSET_PROTECTED_VIEW'] as const
    expect((await list()).meta.count).toBe(1)
    expect(await list({}, { without })).toMatchObject({ data: [], meta: { count: 0 } })
    await needs(90, 1)
    for (let times = 0; times < 2; times += 1) await run()
    const published = await eventually(
      async () =>
        harness.bus.published
          .filter(({ topic }) => topic === publicTopics.executions)
          .map(({ message }) => message.type.split('.').at(-1)),
      // Messages of incidents would be between those of the runs.
      (types) => types.filter((type) => type === 'ExecutionAccepted').length === 3,
    )
    expect(published.filter((type) => type?.startsWith('Incident'))).toEqual([])
    const params = { id: String(id) }
    for (const operation of [operations.getIncident, operations.changeIncident])
      await expect(harness.call(operation, { params, body: { acknowledged: true }, without })).rejects.toMatchObject({
        code: 'not-found',
        message: `There is no incident with the id ${id}.`,
      })
  })

  it('given a column that became protected after an incident opened, then its end reaches the notification service without a verdict', async () => {
    await needs(100)
    const id = await run()
    const sent = (topic: string) =>
      harness.bus.published.filter((each) => each.topic === topic).map(({ message }) => message)
    const incidentTypes = () =>
      sent(publicTopics.executions).flatMap(({ type }) => /Incident\w+$/.exec(type)?.[0] ?? [])
    await eventually(
      async () => incidentTypes(),
      (types) => types.includes('IncidentOpened'),
    )
    await harness.deps.documents.put([
      tagCopyPut('default', tagFixture(), '1'),
      tagCopyPut('default', associationFixture(13), '2'),
    ])
    await change(id, { acknowledged: true })
    await needs(90, 1)
    await run()
    await change(id, { status: 'CLOSED', cause: 'a tariff' })
    const ends = await eventually(
      async () => sent(internalTopics.incidentEnds),
      ({ length }) => length === 2,
    )
    for (const { key, data } of ends)
      expect({ key, data }).toEqual({ key: `default/${id}`, data: { incidentId: id, policyId: 7, assetId: 11 } })
    expect(incidentTypes()).toEqual(['IncidentOpened'])
  })
})
