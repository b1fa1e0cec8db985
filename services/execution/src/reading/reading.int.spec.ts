import { executionKinds, internalTopics, executionOperations as operations, publicTopics } from '@assay/contracts'
import { documentPut } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executions } from '../execution/execution.documents.ts'
import { itemFixture, policyFixture, tableFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, idOf, openHarness } from '../testing/harness.ts'

let harness: Harness
/** Runs of policy 7 (warning), 8 (failed) and 9 (still running), in this order. */
let ids: number[]
beforeAll(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
  const items = [itemFixture(), itemFixture({ id: 2, columnName: 'gone', name: 'gone is there' })]
  await harness.policy(policyFixture({ policyScoreStrategy: 'CUSTOM', scoreItems: ['amount is there'] }, items))
  await harness.policy(policyFixture({ id: 8, name: 'fails always' }))
  await harness.policy(policyFixture({ id: 9, name: 'takes long' }))
  ids = []
  ids.push(await run(7))
  harness.engine.behave({ kind: 'fail', error: new AssayError('timeout', 'The run took longer than 60 seconds.') })
  ids.push(await run(8))
  harness.engine.behave({ kind: 'hang' })
  ids.push(idOf(await harness.call(executionKinds.DATA_QUALITY.start, { params: { id: 9 } })))
  await eventually(
    async () => harness.engine.running(),
    (running) => running === 1,
  )
})
afterAll(() => harness.close())

async function run(policyId: number): Promise<number> {
  const id = idOf(await harness.call(executionKinds.DATA_QUALITY.start, { params: { id: policyId } }))
  harness.clock.time += 60_000
  await eventually(
    async () => bodyOf(await harness.call(executionKinds.DATA_QUALITY.detail, { params: { id } })),
    ({ execution }) => execution.executionStatus !== 'RUNNING',
  )
  return id
}
const list = async (query: object, tenant = 'default') => {
  const { executions, meta } = bodyOf(await harness.call(operations.listExecutions, { query, tenant }))
  return { policies: executions.map(({ execution }) => execution.ruleId), meta }
}
const resultOf = async (id: number | undefined) =>
  bodyOf(await harness.call(executionKinds.DATA_QUALITY.result, { params: { id } }))
const refusal = (code: string, message: string) => ({ code, message: expect.stringContaining(message) })

describe('the list of runs', () => {
  it('shows the newest first, and counts all', async () => {
    expect(await list({ size: 2 })).toEqual({ policies: [9, 8], meta: { count: 3, page: 0, size: 2 } })
    expect(await list({ size: 2, page: 1 })).toEqual({ policies: [7], meta: { count: 3, page: 1, size: 2 } })
    expect(await list({ size: 0 })).toEqual({ policies: [], meta: { count: 3, page: 0, size: 0 } })
  })
  it.each<[object, number[]]>([
    [{ sortBy: 'startedAt:asc' }, [7, 8, 9]],
    [{ sortBy: 'ruleName:DESC' }, [9, 7, 8]],
    [{ ruleId: 8 }, [8]],
    [{ ruleName: 'ALWAYS' }, [8]],
    [{ executionStatus: 'IN_PROGRESS' }, [9]],
    [{ executionStatus: 'success,FAILURE' }, [8, 7]],
    [{ resultStatus: 'errored' }, [8]],
    [{ ruleType: 'DATA_QUALITY,RECONCILIATION', assetIds: '11' }, [9, 8, 7]],
    [{ assetIds: '12' }, []],
    [{ assemblyIds: '2,3', sourceTypeIds: '1' }, [9, 8, 7]],
    [{ startedAfter: Date.parse('2026-11-20T10:01:00.000Z') }, [9, 8]],
    [{ finishedBefore: Date.parse('2026-11-20T10:01:30.000Z') }, [7]],
  ])('can be filtered and sorted by %j', async (query, policies) => {
    expect((await list(query)).policies).toEqual(policies)
  })
  it('does not show other tenants', async () => {
    expect(await list({}, 'other')).toMatchObject({ policies: [], meta: { count: 0 } })
    const foreign = harness.call(executionKinds.DATA_QUALITY.detail, { params: { id: ids[0] }, tenant: 'other' })
    await expect(foreign).rejects.toMatchObject({ code: 'not-found' })
  })
  it('shows a page of runs whose documents exceed the size limit of a page', async () => {
    const { documents } = harness.deps
    const stored = await documents.get(executions, 'default', ids[1] ?? 0)
    if (stored?.document.status !== 'failed') throw new Error('The second run has failed.')
    const { document } = stored
    const wide = [1001, 1002, 1003, 1004, 1005, 1006, 1007].map((executionId) => {
      const run = { ...document.run, executionId, policy: { ...document.run.policy, name: 'wide' } }
      return documentPut(
        executions,
        'default',
        executionId,
        { ...document, run, error: 'x'.repeat(1_000_000) },
        stored.source,
      )
    })
    await documents.put(wide)
    let asOf: string | undefined
    const listing = {
      get asOf() {
        return asOf
      },
      bind: (token: string) => {
        asOf ??= token
      },
    }
    const query = { page: 0, size: 6, sortBy: 'startedAt:asc', ruleName: 'wide' }
    const { body } = await harness.call(operations.listExecutions, { query, listing })
    expect(body.executions.map(({ execution }) => execution.id)).toEqual([1001, 1002, 1003, 1004, 1005, 1006])
    expect(body.meta).toEqual({ count: 7, page: 0, size: 6 })
    const after = { ...stored.source, revision: stored.source.revision + 1 }
    await documents.put(wide.map(({ id }) => documentPut(executions, 'default', id, null, after)))
  })
  it('shows the runs of one policy', async () => {
    const byId = bodyOf(await harness.call(executionKinds.DATA_QUALITY.list, { params: { id: 7 } }))
    const request = { params: { name: 'orders are sound' } }
    expect(byId).toEqual(bodyOf(await harness.call(executionKinds.DATA_QUALITY.listByName, request)))
    expect(byId.meta.count).toBe(1)
    const figures = { qualityScore: 97, itemCounts: { SUCCESSFUL: 0, WARNING: 1, ERRORED: 1 } }
    expect(byId.executions).toMatchObject([figures])
    const all = bodyOf(await harness.call(operations.listExecutions, { query: { sortBy: 'startedAt:asc' } }))
    expect(all.executions).toMatchObject([figures, { itemCounts: null }, { qualityScore: null }])
    const unknown = harness.call(executionKinds.DATA_QUALITY.list, { params: { id: 70 } })
    await expect(unknown).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('the result', () => {
  it('of an ended run has the figures, including the item that could not be evaluated', async () => {
    const { result, items, meta, execution } = await resultOf(ids[0])
    expect(result).toMatchObject({
      ruleExecutionType: 'DQ_RULE_TYPE_EXECUTION',
      status: 'WARNING',
      executionStatus: 'SUCCESSFUL',
      rows: 100,
      failedRows: 3,
      warningRows: 3,
      description: '0 of 2 items passed; 1 could not be evaluated.',
      successCount: 0,
      failureCount: 1,
      qualityScore: 97,
    })
    expect(items).toMatchObject([
      { ruleItemId: 1, dimension: 'COMPLETENESS', status: 'WARNING', success: false, resultPercent: 97, error: null },
      { ruleItemId: 2, status: 'ERRORED', resultPercentage: null, error: "columnName: the asset has no column 'gone'" },
    ])
    expect(meta).toMatchObject({
      warnings: [{ line: 7 }],
      warningCount: 1,
      files: { bad: { rows: 3 }, good: null },
    })
    expect(execution.resultPersistencePath).toEqual({
      bad: `default/orders_are_sound/${execution.requestId}/BAD`,
      metadata: `default/orders_are_sound/${execution.requestId}/SUMMARY`,
    })
    const stored = await harness.artifacts.readText(`${execution.resultPersistencePath?.metadata}/part-0.json`)
    expect(JSON.parse(stored ?? '')).toMatchObject({ execution: { id: ids[0] }, items: [{ ruleItemId: 1 }, {}] })
  })
  it('of a failed run has the error', async () => {
    const { result, items, execution } = await resultOf(ids[1])
    expect(execution.executionError).toBe('The run took longer than 60 seconds.')
    expect(result).toMatchObject({ status: 'ERRORED', executionStatus: 'FAILED', qualityScore: null, rows: null })
    expect(items).toEqual([])
  })
  it('of an open run has all fields', async () => {
    const { result, items, meta } = await resultOf(ids[2])
    expect(result).toMatchObject({ ruleExecutionType: 'DQ_RULE_TYPE_EXECUTION', status: 'RUNNING' })
    expect(items).toEqual([])
    expect(meta).toMatchObject({ elapsedMs: 0, progress: { fraction: null } })
  })
})

describe('the rows', () => {
  const rows = (id: number | undefined, query: object = {}) =>
    harness.call(executionKinds.DATA_QUALITY.rows, { params: { id }, query })
  it('are served in pages', async () => {
    const page = bodyOf(await rows(ids[0], { page: 1, size: 2 }))
    expect(page.meta).toEqual({ count: 3, page: 1, size: 2, fileRows: 3 })
    expect(page.data.rows).toEqual([{ values: { order_id: 3, amount: null }, ruleItemIds: [1] }])
    expect(page.data.schema.fields).toContainEqual({ name: 'order_id', type: 'BIGINT', nullable: true })
  })
  it('can be filtered by item', async () => {
    expect(bodyOf(await rows(ids[0], { itemId: 1 })).meta.count).toBe(3)
    expect(bodyOf(await rows(ids[0], { itemId: 2 })).meta.count).toBe(0)
  })
  it('are 422 with the reason if they were not stored', async () => {
    await expect(rows(ids[0], { category: 'good' })).rejects.toMatchObject(refusal('unprocessable', 'not stored'))
    await expect(rows(ids[1])).rejects.toMatchObject(refusal('unprocessable', 'failed'))
    await expect(rows(ids[2])).rejects.toMatchObject(refusal('unprocessable', 'still running'))
    await expect(rows(4711)).rejects.toMatchObject(refusal('not-found', '4711'))
  })
  it('can be downloaded in the stored format', async () => {
    const download = (query: object) =>
      harness.call(executionKinds.DATA_QUALITY.download, { params: { id: ids[0] }, query })
    const { file } = await download({ format: 'CSV' })
    expect(file).toMatchObject({ name: `execution-${ids[0]}-bad.csv`, contentType: 'text/csv; charset=utf-8' })
    const chunks: string[] = []
    for await (const chunk of file?.stream ?? []) chunks.push(String(chunk))
    expect(chunks.join('')).toHaveLength(file?.sizeBytes ?? 0)
  })
})

describe('published messages', () => {
  it('have the runs, their incident, and the policy versions that were executed', async () => {
    const published = (topic: string) => harness.bus.published.filter((each) => each.topic === topic)
    const events = await eventually(
      async () => published(publicTopics.executions),
      (all) => all.length === 7,
    )
    expect(events.map(({ message }) => message.type.split('.').at(-1))).toEqual([
      'ExecutionAccepted',
      'ExecutionFinished',
      'IncidentOpened',
      'ExecutionAccepted',
      'ExecutionFailed',
      'IncidentOpened',
      'ExecutionAccepted',
    ])
    expect(events[5]?.message.data).toMatchObject({
      subject: `incident/${ids[1]}`,
      data: { incidentId: ids[1], assetId: 11, status: 'OPEN', verdict: 'ERRORED', changes: { before: null } },
    })
    expect(published(internalTopics.versions).map(({ message }) => message.data)).toEqual([
      { policyId: 7, version: 3, executionId: ids[0], finishedAt: expect.stringMatching(/Z$/) },
    ])
  })
})
