import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { executionKinds, type TableMessage } from '@assay/contracts'
import type { Collection } from '@assay/documents'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executionPolicies } from '../copies/policies.ts'
import { executionTables } from '../copies/tables.ts'
import { prepareDefinition } from '../preparing/prepare-definition.ts'
import { itemFixture, policyFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, idOf } from '../testing/harness.ts'
import { type OnEngine, openOnEngine } from '../testing/on-engine.ts'

let on: OnEngine
let harness: Harness
let table: TableMessage
const path = () => join(on.folder, 'orders.csv')

beforeAll(async () => {
  on = await openOnEngine()
  harness = on.harness
  await writeFile(path(), 'order_id,amount\n1,10.5\n2,\n3,-4\n4,7\n')
  table = await on.tableAt(path())
  await harness.table(table)
  const items = [
    itemFixture({ id: 1 }),
    itemFixture({ id: 2, name: 'not negative', measurementType: 'RANGE_MATCH', value: { min: 0 } }),
    itemFixture({
      id: 3,
      name: 'sum',
      measurementType: 'AGGREGATES',
      aggregateType: 'SUM',
      value: { operator: 'GT', value: 10 },
    }),
    itemFixture({ id: 4, name: 'broken', measurementType: 'CUSTOM', ruleExpression: 'no_such_column > 1' }),
  ]
  await harness.policy(policyFixture({}, items))
  await eventually(
    () => Promise.all([get(executionTables, 11), get(executionPolicies, 7)]),
    (copies) => copies.every((copy) => copy !== undefined),
  )
})
afterAll(() => on.close())

function get<T>(collection: Collection<T>, id: number) {
  return harness.deps.documents.get(collection, 'default', id)
}
const run = async () => {
  return on.ended(idOf(await harness.call(executionKinds.DATA_QUALITY.start, { params: { id: 7 } })))
}

describe('a run over a CSV file', () => {
  it('measures, judges and stores', async () => {
    const { execution, items, result } = await run()
    expect(execution).toMatchObject({ executionStatus: 'SUCCESSFUL', resultStatus: 'ERRORED', executionError: null })
    expect(result).toMatchObject({ rows: 4, failedRows: 2, successCount: 1 })
    expect(items).toMatchObject([
      { ruleItemId: 1, status: 'ERRORED', rowsScanned: 4, rowsFailed: 1, resultPercentage: 75 },
      { ruleItemId: 2, status: 'ERRORED', rowsScanned: 4, rowsFailed: 1, resultPercentage: 75 },
      { ruleItemId: 3, status: 'SUCCESSFUL', value: '13.5', resultPercentage: 100 },
      { ruleItemId: 4, status: 'ERRORED', resultPercentage: null, error: expect.stringContaining('no_such_column') },
    ])
    const params = { id: execution.id }
    const { data, meta } = bodyOf(await harness.call(executionKinds.DATA_QUALITY.rows, { params }))
    expect(meta.count).toBe(2)
    expect(data.rows.map(({ ruleItemIds }) => ruleItemIds)).toEqual([[1], [2]])
    const { file } = await harness.call(executionKinds.DATA_QUALITY.download, { params })
    const chunks: string[] = []
    for await (const chunk of file?.stream ?? []) chunks.push(String(chunk))
    expect(chunks.join('')).toContain('__rule_item_ids')
  })

  it('fails with a message when the file is missing', async () => {
    await rm(path())
    const { execution } = await run()
    expect(execution.executionStatus).toBe('FAILED')
    expect(execution.executionError).toMatch(/orders\.csv/)
  })
})

describe('checking a definition', () => {
  it('reports what the engine cannot prepare', async () => {
    await writeFile(path(), 'order_id,amount\n1,10.5\n')
    const metrics = [
      {
        kind: 'rows' as const,
        id: 1,
        predicate: { kind: 'regex' as const, column: 'amount', pattern: '(', partial: false },
      },
    ]
    const endless = {
      sleep: (_: number, signal?: AbortSignal) =>
        new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve())),
    }
    const prepared = await prepareDefinition(
      on.engine,
      endless,
      harness.deps.documents,
      async () => undefined,
    )({ tenant: 'default', locator: table.locator, metrics })
    expect(prepared).toMatchObject({ metricErrors: [{ id: 1 }] })
  })
})
