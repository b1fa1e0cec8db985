import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { executionKinds, type ItemRecord } from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'
import { systemTimers } from '@assay/service-kit/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tableCopyPut } from '../copies/tables.ts'
import { tagCopyPut, templateCopyPut } from '../references/copies.ts'
import { associationFixture, itemFixture, tagFixture } from '../testing/fixtures.ts'
import type { Harness } from '../testing/harness.ts'
import { type OnEngine, openOnEngine } from '../testing/on-engine.ts'
import { type DefinitionToPrepare, prepareDefinition } from './prepare-definition.ts'

let on: OnEngine
let harness: Harness
const tenant = 'default'
const position = '0000000000000000001'
const none = { columnName: null }

const expression = (ruleExpression: string) => ({ ...none, measurementType: 'CUSTOM' as const, ruleExpression })
const select = (sql: string) => {
  const value = { sql, operator: 'GT', value: 0 }
  return { ...none, measurementType: 'SQL_METRIC' as const, value }
}
const template = (column: string) => {
  const value = { udfId: 1, parameters: { c: column } }
  return { ...none, measurementType: 'UDF_PREDICATE' as const, value }
}
const filtered = (filter: string) => ({ columnName: 'name', filter })

/** `pin` is protected, and so is the table pins.csv. */
const hidden: Partial<ItemRecord>[] = [
  expression('pin > 1'),
  expression('asset IS NOT NULL'),
  filtered("name = E'a'\n'\\' ' or pin = '1' or name = E'\\''"),
  template('pin'),
  select('SELECT max(pin) FROM asset'),
  select('SELECT count(*) AS "pins.csv" FROM "PINS.csv"'),
]
const open: Partial<ItemRecord>[] = [
  expression('length(name) > 0 AND name <> $$pin$$ /* pin */ AND list_transform([1], lambda pin: pin)[1] = 1 -- pin'),
  filtered("name <> E'\\' pin'"),
  template('name'),
  select('WITH names AS (SELECT name FROM asset) SELECT count(name) FROM names'),
]
const items = [...hidden, ...open].map((item, index) =>
  itemFixture({ ...item, id: index + 1, executionOrder: index, value: item.value ?? null }),
)
const idsOf = (some: readonly object[], from: number) => some.map((_, index) => from + index + 1)

async function fileAt(assetId: number, name: string, text: string): Promise<void> {
  const path = join(on.folder, name)
  await writeFile(path, text)
  const table = await on.tableAt(path, { assetId, name, uid: `sales.${name}`, path: ['sales', name] })
  await harness.deps.documents.put([tableCopyPut(tenant, table, position)])
}

beforeAll(async () => {
  on = await openOnEngine()
  harness = on.harness
  await fileAt(11, 'people.csv', 'name,pin\nann,7\nbob,8\n')
  await fileAt(100, 'pins.csv', 'pin\n7\n')
  const variables = [{ key: 'c', value: null, isColumnVariable: true }]
  const about = { revision: 0, udfId: 1, name: 'set', language: 'EXPRESSION', isDeleted: false }
  const udf = { ...about, udfType: 'FILTER', udfDataType: 'BOOLEAN', code: '${c} IS NOT NULL -- pin', variables }
  await harness.deps.documents.put([templateCopyPut(tenant, udf, position)])
}, 60_000)
afterAll(() => on.close())

describe("users' SQL that may read protected columns", () => {
  const asked = (changes: Partial<NonNullable<DefinitionToPrepare['guarded']>> = {}): DefinitionToPrepare => {
    const guarded = { filter: null, marker: null, items, ...changes }
    return { tenant, assetId: 11, locator: null, metrics: [], guarded }
  }
  const guard = (request: DefinitionToPrepare, engine: Parameters<typeof prepareDefinition>[0] = on.engine) =>
    prepareDefinition(engine, systemTimers, harness.deps.documents, async () => undefined)(request)

  it('given a column is protected after a run, then the results that depend on the column are hidden, and no others', async () => {
    const id = await on.runKeeping('CSV', 41, items)
    const statuses = async (without: readonly ['ASSET_PROTECTED_VIEW'] | readonly []) => {
      const { body } = await harness.call(executionKinds.DATA_QUALITY.result, { params: { id }, without })
      return body.items.map(({ status }) => status)
    }
    const before = await statuses([])
    expect(before).not.toContain('HIDDEN')
    const ofPins = { ...associationFixture(101), associationId: 2, tableId: 100 }
    const tags = [tagFixture(), associationFixture(13), ofPins]
    await harness.deps.documents.put(tags.map((tag) => tagCopyPut(tenant, tag, position)))
    expect(await statuses(['ASSET_PROTECTED_VIEW'])).toEqual(
      before.map((one, index) => (index < hidden.length ? 'HIDDEN' : one)),
    )
    expect(await statuses([])).toEqual(before)
  })

  it('given a new definition, then the same parts are found, whether or not the source is reachable', async () => {
    const protectedParts = { filter: false, marker: false, items: idsOf(hidden, 0) }
    expect(await guard(asked())).toMatchObject({ protectedParts })
    await rm(join(on.folder, 'people.csv'))
    expect(await guard(asked())).toMatchObject({ protectedParts })
    const filters = ['pin = 1', "name = 'pin'", 'name = ${unknown}', 'name =', 'nme = 1']
    const found = await Promise.all(filters.map((filter) => guard(asked({ filter, items: [] }))))
    const isHidden = found.map((one) => (one === 'unreachable' ? undefined : one.protectedParts?.filter))
    expect(isHidden).toEqual([true, false, true, true, true])
  })

  it('given an unavailable engine, then 503', async () => {
    const touches = () => Promise.reject(new AssayError('unavailable', 'The data engine is shutting down.'))
    const refused = guard(asked(), { ...on.engine, touches })
    await expect(refused).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
  })
})
