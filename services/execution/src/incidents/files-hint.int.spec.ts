import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { executionKinds, incidentOperations } from '@assay/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policyCopyPut } from '../copies/policies.ts'
import { tableCopyPut } from '../copies/tables.ts'
import { itemFixture, policyFixture } from '../testing/fixtures.ts'
import { bodyOf, idOf } from '../testing/harness.ts'
import { type OnEngine, openOnEngine } from '../testing/on-engine.ts'

let on: OnEngine
beforeAll(async () => {
  on = await openOnEngine()
}, 60_000)
afterAll(() => on.close())

async function addDay(day: string, text: string): Promise<void> {
  const path = join(on.folder, `orders/day=${day}/a.csv`)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `id,amount\n${text}`)
}

async function run(): Promise<string> {
  const { start } = executionKinds.DATA_QUALITY
  const { execution } = await on.ended(idOf(await on.harness.call(start, { params: { id: 7 }, body: {} })))
  return execution.resultStatus
}

describe('a table of several files', () => {
  it('given one more file at the first alarm, then the incident has a hint with both numbers', async () => {
    await addDay('2026-11-03', '1,5\n2,6\n')
    await addDay('2026-11-04', '3,7\n')
    const { documents } = on.harness.deps
    const table = await on.tableAt(
      join(on.folder, 'orders'),
      { assetId: 31, name: 'orders', uid: 'sales.orders' },
      3100,
    )
    const position = '0000000000000000001'
    const backingAsset = { ...policyFixture().policy.rule.backingAsset, tableAssetId: 31 }
    const policy = policyFixture({ id: 7, backingAsset }, [itemFixture({ columnName: 'amount' })])
    await documents.put([tableCopyPut('default', table, position), policyCopyPut('default', policy, position)])
    expect(await run()).toBe('SUCCESSFUL')
    await addDay('2026-11-05', '4,\n')
    expect(await run()).toBe('ERRORED')
    const { data } = bodyOf(await on.harness.call(incidentOperations.listIncidents))
    expect(data[0]?.hints).toMatchObject([
      { kind: 'VOLUME_CHANGED', relation: 'SAME', assetId: 31 },
      { kind: 'FILES_CHANGED', relation: 'SAME', assetId: 31, text: '3 files; 2 in the last successful run.' },
    ])
  })
})
