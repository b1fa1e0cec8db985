import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { executionKinds } from '@assay/contracts'
import type { DataEngine, DatasetLocator } from '@assay/data-engine'
import { createDuckDbEngine } from '@assay/data-engine/duckdb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policyCopyPut } from '../copies/policies.ts'
import { tableCopyPut } from '../copies/tables.ts'
import { itemFixture, policyFixture, tableFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, idOf, openHarness } from '../testing/harness.ts'

let harness: Harness
let engine: DataEngine
let folder: string
const executions = new Map<string, number>()
const tenant = 'default'
const position = '0000000000000000001'
const { start, result, rows } = executionKinds.DATA_QUALITY
const formats = ['CSV', 'PARQUET', 'JSON'] as const

/** 400 orders that all break the first item; the last 150 of them also the second. */
const orders = Array.from({ length: 400 }, (_, at) => `${at},-${at + 1},${at < 250 ? 'n' : ''}\n`)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-rows-'))
  const path = join(folder, 'orders.csv')
  await writeFile(path, `order_id,amount,name\n${orders.join('')}`)
  const tempRoot = join(folder, 'temp')
  engine = createDuckDbEngine({ memoryMb: 256, threads: 1, tempRoot, clock: { now: () => Date.now() } })
  harness = await openHarness({ engine, isDurable: true })
  const locators: DatasetLocator[] = []
  for await (const found of engine.discover({ sourceType: 'FILE', path }, { signal: new AbortController().signal }))
    if (found.kind === 'table') locators.push(found.locator)
  const [locator] = locators
  const columns = (locator?.columns ?? []).map((column, index) => ({ id: 12 + index, uid: `u${index}`, ...column }))
  const items = [
    itemFixture({ id: 1, measurementType: 'RANGE_MATCH', value: { min: 0 } }),
    itemFixture({ id: 2, measurementType: 'MISSING_VALUES', columnName: 'name' }),
  ]
  const policies = formats.map((format, index) => {
    const message = policyFixture({ id: 40 + index, name: format }, items)
    const bad = { ...message.configuration.bad, format }
    return policyCopyPut(tenant, { ...message, configuration: { ...message.configuration, bad } }, position)
  })
  await harness.deps.documents.put([tableCopyPut(tenant, tableFixture({ locator, columns }), position), ...policies])
  for (const [index, format] of formats.entries()) {
    const id = idOf(await harness.call(start, { params: { id: 40 + index } }))
    executions.set(format, id)
    await eventually(
      async () => bodyOf(await harness.call(result, { params: { id } })),
      ({ execution }) => execution.executionStatus !== 'RUNNING',
    )
  }
}, 60_000)
afterAll(async () => {
  await harness.close()
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

describe('rows of one item', () => {
  const read = async (format: string, query: object) =>
    bodyOf(await harness.call(rows, { params: { id: executions.get(format) }, query }))

  it.each(formats)(
    'given rows beyond the first 100, kept as %s, when pages of an item are read, then all of its rows come once',
    async (format) => {
      const seen: unknown[] = []
      for (const page of [0, 1, 2, 3]) {
        const { data, meta } = await read(format, { itemId: 2, page, size: 60 })
        expect(meta).toEqual({ count: 150, page, size: 60 })
        for (const row of data.rows) expect(row.ruleItemIds).toEqual([1, 2])
        seen.push(...data.rows.map(({ values }) => values.order_id))
      }
      expect(seen).toEqual(Array.from({ length: 150 }, (_, at) => 250 + at))
      expect((await read(format, { itemId: 1, size: 0 })).meta.count).toBe(400)
    },
  )

  it('given an item that the policy has not, when its rows are asked for, then 404', async () => {
    await expect(read('CSV', { itemId: 3 })).rejects.toMatchObject({ code: 'not-found' })
  })
})
