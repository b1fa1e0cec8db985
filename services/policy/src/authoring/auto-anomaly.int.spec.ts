import { createAutoAnomalyPolicies, policyKinds } from '@assay/contracts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { eventually, type Harness, openHarness, tableFixture } from '../testing/harness.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
})
afterEach(() => harness.close())

const assembly = { revision: 0, assemblyId: 1, autoAnomaly: false, isDeleted: false }
const table = (assetId: number, changes: object = {}) =>
  tableFixture({ assetId, uid: `sales.t${assetId}.csv`, assemblyId: 1, ...changes })
const { list, archive } = policyKinds.AUTO_ANOMALY
const policiesOf = async () => (await harness.call(list, {})).rules.map(({ rule }) => rule)
const create = (id = 1) => harness.call(createAutoAnomalyPolicies, { params: { id } })

it('given an assembly, then each table gets one policy, and repeating changes nothing', async () => {
  await expect(create()).rejects.toMatchObject({ code: 'not-found' })
  await harness.assembly(assembly)
  for (const id of [11, 12]) await harness.table(table(id))
  await harness.table(table(13, { isDeleted: true }))
  await harness.table(table(14, { assemblyId: 2 }))
  await harness.table(table(16, { assetType: { id: 9, name: 'SQL_VIEW' } }))
  await harness.call(policyKinds.AUTO_ANOMALY.create, {
    body: { rule: { name: 'own', backingAsset: { tableAssetId: 12 } } },
  })
  expect(await Promise.all([create(), create()])).toContainEqual({ created: 1, existing: 1 })
  expect(await create()).toEqual({ created: 0, existing: 2 })
  const all = await policiesOf()
  expect(all.map(({ name, autoCreated }) => [name, autoCreated]).sort()).toEqual([
    ['Auto anomaly: sales.t11.csv', true],
    ['own', false],
  ])
  const made = all.find(({ autoCreated }) => autoCreated)
  await harness.call(archive, { params: { id: made?.id ?? 0 } })
  expect(await create()).toEqual({ created: 0, existing: 2 })
})

it('given the option of an assembly, then its tables get policies, whichever message comes first', async () => {
  await harness.table(table(11))
  await harness.assembly({ ...assembly, revision: 1, autoAnomaly: true })
  await harness.table(table(12))
  await harness.table(table(12))
  const all = await eventually(policiesOf, (found) => found.length === 2)
  expect(all.map(({ backingAsset, createdBy }) => [backingAsset.tableAssetId, createdBy]).sort()).toEqual([
    [11, 'system'],
    [12, 'system'],
  ])
  await harness.assembly({ ...assembly, revision: 2, isDeleted: true })
  await harness.table(table(15))
  expect(await policiesOf()).toHaveLength(2)
})

it('given an assembly and a table that the caller has seen, when their messages are late, then the request waits for them', async () => {
  const seen = new Map([['catalog' as const, [`assembly-1@${assembly.revision}`, `asset-11@${table(11).revision}`]]])
  const creating = harness.call(createAutoAnomalyPolicies, { params: { id: 1 }, seen })
  await harness.assembly(assembly)
  await harness.table(table(11))
  expect(await creating).toEqual({ created: 1, existing: 0 })
})
