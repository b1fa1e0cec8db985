import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { executionKinds } from '@assay/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tableCopyPut } from '../copies/tables.ts'
import { tagCopyPut } from '../references/copies.ts'
import { associationFixture, itemFixture, tagFixture } from '../testing/fixtures.ts'
import { bodyOf, type Harness } from '../testing/harness.ts'
import { type OnEngine, openOnEngine } from '../testing/on-engine.ts'

let on: OnEngine
let harness: Harness
const tenant = 'default'
const position = '0000000000000000001'
const { rows, download } = executionKinds.DATA_QUALITY

beforeAll(async () => {
  on = await openOnEngine()
  harness = on.harness
  const path = join(on.folder, 'odd.csv')
  await writeFile(path, 'n,__rule_item_ids,__rule_item_ids_source\n-1,secret,open\n')
  await harness.deps.documents.put([
    tableCopyPut(tenant, await on.tableAt(path), position),
    tagCopyPut(tenant, tagFixture(), position),
    tagCopyPut(tenant, associationFixture(13), position),
  ])
}, 60_000)
afterAll(() => on.close())

it('given columns with the reserved name of item ids, then rows have the values of both columns, and the protected column is masked', async () => {
  const item = { measurementType: 'RANGE_MATCH', columnName: 'n', value: { min: 0 } } as const
  const id = await on.runKeeping('JSON', 41, [itemFixture({ id: 1, ...item }), itemFixture({ id: 2, ...item })])
  const shown = async (without: readonly ['ASSET_PROTECTED_VIEW'] | readonly []) => {
    const asked = { params: { id }, without }
    const { data } = bodyOf(await harness.call(rows, asked))
    expect(data.schema.fields.map(({ name }) => name)).toEqual(Object.keys(data.rows[0]?.values ?? {}))
    const { file } = await harness.call(download, { ...asked, query: { format: 'JSON' } })
    const stored: unknown = JSON.parse(file === undefined ? '' : await text(file.stream))
    expect(stored).toEqual({ ...data.rows[0]?.values, __rule_item_ids: [1, 2] })
    return data.rows
  }
  const row = { n: -1, __rule_item_ids_source: 'secret', __rule_item_ids_source_source: 'open' }
  expect(await shown([])).toMatchObject([{ values: row, ruleItemIds: [1, 2] }])
  expect(await shown(['ASSET_PROTECTED_VIEW'])).toMatchObject([{ values: { ...row, __rule_item_ids_source: '***' } }])
})
