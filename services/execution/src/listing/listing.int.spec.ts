import {
  executionKinds,
  executionOperations as operations,
  type PolicyMessage,
  rulesOfAssetDenied,
} from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { containerCopyPut } from '../copies/containers.ts'
import { policyCopyPut as executionPolicyPut } from '../copies/policies.ts'
import { anomalyFixture, itemFixture, policyFixture, tableFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, idOf, openHarness } from '../testing/harness.ts'

const at = (hour: number) => new Date(Date.UTC(2026, 10, 20, hour)).toISOString()
let harness: Harness
/** Policy 7 ended with a warning, twice; 8 failed; 9 never ran; 10 is archived; 11 has no engine and is disabled. */
beforeAll(async () => {
  harness = await openHarness()
  // The policy's message arrives before that of its table.
  await harness.policy(policyFixture({ updatedAt: at(1) }))
  await harness.table(tableFixture())
  await harness.table(tableFixture({ assetId: 21, uid: 'other.t', assemblyId: 3, columns: [] }))
  await harness.policy(policyFixture({ id: 8, name: 'fails always', updatedAt: at(2) }))
  const elsewhere = { ...policyFixture().policy.rule.backingAsset, tableAssetId: 21 }
  const idle = policyFixture({ id: 9, name: 'Never ran', updatedAt: at(3), backingAsset: elsewhere }, [
    itemFixture({ columnName: null }),
  ])
  await harness.policy(idle)
  await harness.policy(policyFixture({ id: 10, name: 'old', archived: true, enabled: false, updatedAt: at(4) }))
  await harness.policy(anomalyFixture({ id: 11, name: 'odd', enabled: false, updatedAt: at(5) }))
  await run(7)
  harness.engine.behave({ kind: 'fail', error: new AssayError('timeout', 'The run took longer than 60 seconds.') })
  await run(8)
  harness.engine.behave({ kind: 'end' })
  await run(7)
})
afterAll(() => harness.close())

async function run(policyId: number): Promise<void> {
  const id = idOf(await harness.call(executionKinds.DATA_QUALITY.start, { params: { id: policyId } }))
  harness.clock.time += 60_000
  await eventually(
    async () => bodyOf(await harness.call(executionKinds.DATA_QUALITY.detail, { params: { id } })),
    ({ execution }) => execution.executionStatus !== 'RUNNING',
  )
}
const list = async (query: object, tenant = 'default') => {
  const { rules, meta } = bodyOf(await harness.call(operations.listPolicies, { query, tenant }))
  return { ids: rules.map(({ rule }) => rule.id), rules, meta }
}

describe('the list of policies', () => {
  it('shows each policy that is not archived with its latest run, newest change first', async () => {
    const { ids, rules, meta } = await list({ withLatestExecution: 'True', sortBy: 'updatedAt:DESC' })
    expect(ids).toEqual([11, 9, 8, 7])
    expect(meta).toEqual({ count: 4, page: 0, size: 25, archivedPolicyCount: 1 })
    expect(rules.map(({ execution }) => execution?.resultStatus ?? null)).toEqual([null, null, 'ERRORED', 'WARNING'])
    expect(rules[3]).toMatchObject({ rule: { backingAssets: [{ tableAssetId: 11 }] }, childRules: [] })
    expect(rules[3]?.execution).not.toHaveProperty('policyScoreStrategy')
    const unknown = { durationMs: expect.any(Number), bytesRead: null, openAlertIds: [] }
    expect(rules.map(({ executionMetrics }) => executionMetrics)).toEqual([
      null,
      null,
      { rowsRead: null, ...unknown },
      { rowsRead: expect.any(Number), ...unknown },
    ])
    expect(
      (await list({ withLatestExecution: 'False' })).rules.every(({ executionMetrics }) => executionMetrics === null),
    ).toBe(true)
  })
  it('shows the later of two runs', async () => {
    const { executions } = bodyOf(await harness.call(operations.listExecutions, { query: { ruleId: 7 } }))
    const { rules } = await list({ name: 'SOUND' })
    expect(executions).toHaveLength(2)
    expect(rules[0]?.execution?.id).toBe(executions[0]?.execution.id)
  })
  it.each<[object, number[]]>([
    [{ ruleStatus: 'ALL' }, [11, 10, 9, 8, 7]],
    [{ ruleStatus: 'ACTIVE' }, [9, 8, 7]],
    [{ enabled: 'False' }, [11]],
    [{ ruleType: 'AUTO_ANOMALY,RECONCILIATION' }, [11]],
    [{ resultStatus: 'WARNING' }, [7]],
    [{ executionStatus: 'ERRORED' }, [8]],
    [{ executionStatus: 'SUCCESS,FAILURE' }, [8, 7]],
    [{ assetIds: '21' }, [9]],
    [{ assetIds: '11,21' }, [11, 9, 8, 7]],
    [{ assetIds: '13' }, [8, 7]],
    [{ assetIds: '12,99' }, []],
    [{ assemblyIds: '2' }, [11, 8, 7]],
    [{ assemblyIds: '3,4' }, [9]],
    [{ name: 'never' }, [9]],
    [{ startedAfter: Date.parse('2026-11-20T10:01:30.000Z') }, [7]],
    [{ finishedBefore: Date.parse('2026-11-20T10:02:30.000Z') }, [8]],
    [{ sortBy: 'name:asc', size: 2, page: 1 }, [11, 7]],
  ])('can be filtered and sorted by %j', async (query, ids) => {
    expect((await list(query)).ids).toEqual(ids)
  })
  it('does not show other tenants', async () => {
    expect(await list({}, 'other')).toMatchObject({ ids: [], meta: { count: 0, archivedPolicyCount: 0 } })
  })
  it('shows a run as open until it has ended', async () => {
    harness.engine.behave({ kind: 'hang' })
    const id = idOf(await harness.call(executionKinds.DATA_QUALITY.start, { params: { id: 9 } }))
    expect(await list({ executionStatus: 'RUNNING' })).toMatchObject({ ids: [9] })
    await harness.call(operations.cancelExecution, { params: { id } })
    expect(await list({ executionStatus: 'RUNNING' })).toMatchObject({ ids: [] })
    expect(await list({ executionStatus: 'ABORTED' })).toMatchObject({ ids: [9] })
  })
  it('given a removed item, then the policy is no longer listed for its column', async () => {
    const changed = policyFixture({ id: 8, name: 'fails always', updatedAt: at(2) }, [
      itemFixture({ columnName: 'order_id' }),
    ])
    await harness.policy({ ...changed, revision: 1 })
    expect(await list({ assetIds: '13' })).toMatchObject({ ids: [7] })
    expect(await list({ assetIds: '12' })).toMatchObject({ ids: [8] })
  })
})

describe('the policies of an asset', () => {
  const ofAsset = async (id: number, query: object = {}) =>
    bodyOf(await harness.call(operations.listPoliciesOfAsset, { params: { id }, query }))
  const byUid = async (uid: string) =>
    bodyOf(await harness.call(operations.listPoliciesOfAssetByUid, { params: { uid } }))
  const idsOf = ({ executions }: Awaited<ReturnType<typeof ofAsset>>) => executions.map(({ rule }) => rule.id)

  it('are listed with their latest run, or in one row per run', async () => {
    const latest = await ofAsset(11)
    expect(idsOf(latest)).toEqual([11, 8, 7])
    expect(latest.executions[2]).toMatchObject({ result: { status: 'WARNING' }, childExecutions: null })
    expect(idsOf(await ofAsset(11, { onlyLatest: 'false' }))).toEqual([7, 8, 7])
    expect(idsOf(await ofAsset(11, { onlyLatest: 'False', resultStatus: 'WARNING', ruleName: 'sound' }))).toEqual([
      7, 7,
    ])
    expect(idsOf(await ofAsset(11, { executionStatus: 'FAILED', ruleType: 'DATA_QUALITY' }))).toEqual([8])
  })
  it('are found by the UID of a table and of a column', async () => {
    expect(await byUid('sales.orders.csv')).toEqual(await ofAsset(11))
    expect(idsOf(await byUid('sales.orders.csv.amount'))).toEqual([7])
    expect(idsOf(await ofAsset(13))).toEqual([7])
  })
  it('of a folder are the policies of all tables below it, and no others', async () => {
    const container = (assetId: number, ...path: string[]) => {
      const message = { revision: 0, assetId, uid: path.join('.'), path, isDeleted: false }
      return harness.deps.documents.put([containerCopyPut('default', message, '0000000000000000900')])
    }
    await container(50, 'sales', 'in')
    await container(51, 'sales', 'i')
    expect(idsOf(await ofAsset(50))).toEqual([])
    await harness.table(tableFixture({ revision: 1, path: ['sales', 'in', '2026', 'orders.csv'] }))
    expect(idsOf(await ofAsset(50))).toEqual([11, 8, 7])
    expect(await byUid('sales.in')).toEqual(await ofAsset(50))
    expect(idsOf(await ofAsset(51))).toEqual([])
    expect(await list({ assetIds: '50' })).toMatchObject({ ids: [11, 8, 7] })
    const runs = async (assetIds: string) =>
      bodyOf(await harness.call(operations.listExecutions, { query: { assetIds } })).meta.count
    expect(await runs('50')).toBe(await runs('11'))
    const foreign = harness.call(operations.listPoliciesOfAsset, { params: { id: 50 }, tenant: 'other' })
    await expect(foreign).rejects.toMatchObject({ code: 'not-found' })
  })
  it('of a missing asset are 404 by id, and 403 by UID, as for a missing permission', async () => {
    await expect(ofAsset(99)).rejects.toMatchObject({ code: 'not-found' })
    await expect(byUid('nowhere')).rejects.toMatchObject({ code: 'forbidden', message: rulesOfAssetDenied })
    const foreign = harness.call(operations.listPoliciesOfAsset, { params: { id: 11 }, tenant: 'other' })
    await expect(foreign).rejects.toMatchObject({ code: 'not-found' })
    expect(operations.listPoliciesOfAssetByUid.denied).toBe(rulesOfAssetDenied)
  })
})

describe('policies that arrived before the list existed', () => {
  it('are added when the service starts', async () => {
    const old = await openHarness()
    try {
      const put = (message: PolicyMessage) => executionPolicyPut('default', message, '0000000000000000009')
      await old.deps.documents.put([put(policyFixture()), put(policyFixture({ id: 8, name: 'another' }))])
      const list = async () => bodyOf(await old.call(operations.listPolicies, {})).meta.count
      expect(await list()).toBe(0)
      // No checkpoint says that they were added.
      const { checkpoints } = old.deps
      const get = async (name: string) => (name === 'execution-policies-followed' ? undefined : checkpoints.get(name))
      await old.another({ checkpoints: { ...checkpoints, get } }).start()
      expect(await eventually(list, (count) => count === 2)).toBe(2)
    } finally {
      await old.close()
    }
  })
})
