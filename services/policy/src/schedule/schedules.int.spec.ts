import { type PolicyType, policyKinds, policyOperations, policyTypes } from '@assay/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { copyFixture, everyKind, operations } from '../testing/every-kind.ts'
import { type Harness, openHarness, tableFixture } from '../testing/harness.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
  await harness.table(copyFixture())
})
afterEach(() => harness.close())
const { create, idOf, call } = everyKind(() => harness)

describe('schedules', () => {
  const set = (id: number, body: object) => call(policyOperations.setPolicySchedule, { id }, body)
  const guide: Partial<Record<PolicyType, string>> = {
    DATA_DRIFT: 'not-implemented',
    SCHEMA_DRIFT: 'not-implemented',
    PROFILE_ANOMALY: 'not-implemented',
  }
  const byInterface = (type: PolicyType) => (type === 'DATA_FRESHNESS' ? 'unprocessable' : undefined)

  it.each(
    policyTypes.flatMap((type) => [
      [type, 'guide', guide[type]] as const,
      [type, 'interface', byInterface(type)] as const,
    ]),
  )('%s by the contract %s: %s', async (type, contract, refused) => {
    await harness.close()
    harness = await openHarness({ scheduleContract: contract })
    await harness.table(tableFixture())
    await harness.table(copyFixture())
    const made = await create(type)
    const { id, name } = made.rule
    const cron = { cronExpression: '0 6 * * *', timeZone: 'Europe/Berlin' }
    if (refused !== undefined) {
      await expect(set(id, cron)).rejects.toMatchObject({ code: refused })
      await expect(call(operations[type].schedule, { id }, { scheduled: true })).rejects.toMatchObject({
        code: refused,
      })
      const rule = { scheduled: true, schedule: '0 6 * * *' }
      await expect(call(operations[type].update, { id }, { rule })).rejects.toMatchObject({ code: refused })
      await expect(create(type, { ...rule, name: 'other' })).rejects.toMatchObject({ code: refused })
      expect(await call(operations[type].getByName, { name })).toEqual(made)
      return
    }
    const answer = { policyId: id, policyType: type, ...cron, executionType: null }
    expect(await set(id, cron)).toEqual({ ...answer, scheduled: false, version: 2 })
    expect(await set(id, { scheduled: true, cronExpression: null })).toEqual({ ...answer, scheduled: true, version: 3 })
    expect(await set(id, { scheduled: true })).toEqual({ ...answer, scheduled: true, version: 4 })
    const off = await call(operations[type].scheduleByName, { name }, { scheduled: false })
    expect(off.rule).toMatchObject({ scheduled: false, schedule: '0 6 * * *', timeZone: 'Europe/Berlin', version: 5 })
    expect((await call(operations[type].schedule, { id }, { scheduled: true })).rule).toMatchObject({ version: 6 })
    expect((await call(operations[type].getByName, { name })).rule).toMatchObject({ version: 6, scheduled: true })
  })

  it('refuses invalid schedules, without effect', async () => {
    const id = await idOf('DATA_QUALITY')
    await expect(set(id, {})).rejects.toMatchObject({ code: 'invalid' })
    await expect(set(id, { scheduled: null })).rejects.toMatchObject({ code: 'invalid' })
    await expect(set(id, { cronExpression: 'soon' })).rejects.toThrow(/^cronExpression: /)
    await expect(set(id, { cronExpression: '0 6 31 2 *' })).rejects.toThrow(/^cronExpression: .*never/)
    await expect(set(id, { timeZone: 'Mars/Base' })).rejects.toThrow(/^timeZone: /)
    await expect(set(id, { scheduled: true })).rejects.toMatchObject({ code: 'unprocessable' })
    await expect(set(99, { scheduled: false })).rejects.toMatchObject({ code: 'not-found' })
    await expect(call(policyKinds.DATA_QUALITY.schedule, { id }, { timeZone: 'UTC' })).rejects.toThrow(/^scheduled: /)
    expect(await call(policyOperations.getPolicy, { identifier: id })).toMatchObject({ version: 1, scheduled: false })
    await call(policyKinds.DATA_QUALITY.archive, { id })
    await expect(set(id, { scheduled: false })).rejects.toMatchObject({ code: 'unprocessable' })
  })

  it('stores the execution type of runs, if the policy allows it', async () => {
    const plain = await idOf('DATA_QUALITY')
    await expect(set(plain, { executionType: 'INCREMENTAL' })).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringMatching(/^executionType: .*marker/),
    })
    await expect(set(plain, { executionType: 'SELECTIVE' })).rejects.toThrow('FULL or INCREMENTAL')
    const marker = { type: 'IdMarkerConfig', columnName: 'id' }
    const { rule } = await create('DATA_QUALITY', { name: 'marked', backingAsset: { tableAssetId: 11, marker } })
    expect(rule.scheduleExecutionType).toBe(null)
    const body = { cronExpression: '0 6 * * *', executionType: 'FULL' }
    expect(await set(rule.id, body)).toMatchObject({ executionType: 'FULL', version: 2 })
    const read = await call(policyKinds.DATA_QUALITY.getByName, { name: 'marked' })
    expect(read.rule).toMatchObject({ scheduleExecutionType: 'FULL', jobSchedule: { executionType: 'FULL' } })
  })

  it('adds exactly one version for each of many concurrent calls', async () => {
    const id = await idOf('RECONCILIATION')
    const answers = await Promise.all(Array.from({ length: 10 }, () => set(id, { cronExpression: '0 6 * * *' })))
    expect(answers.map(({ version }) => version).sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  })
})
