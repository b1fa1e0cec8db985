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
const secret = '98765'

beforeAll(async () => {
  on = await openOnEngine()
  harness = on.harness
  const path = join(on.folder, 'people.jsonl')
  // More rows than the preview has.
  const line = `{"id":null,"who":{"pin":${secret}},"any":[${secret},{"a":1}]}\n`
  await writeFile(path, line.repeat(150))
  await harness.deps.documents.put([
    tableCopyPut(tenant, await on.tableAt(path), position),
    tagCopyPut(tenant, tagFixture(), position),
    // A leaf: only the catalog knows in which column it is.
    tagCopyPut(tenant, associationFixture(900), position),
  ])
}, 60_000)
afterAll(() => on.close())

it.each([
  ['CSV', 41],
  ['PARQUET', 42],
  ['JSON', 43],
] as const)('given a protected leaf and rows stored as %s, then no nested column is shown', async (format, id) => {
  const items = [itemFixture({ id: 1, measurementType: 'MISSING_VALUES', columnName: 'id' })]
  const executionId = await on.runKeeping(format, id, items)
  const shown = async (without: readonly ['ASSET_PROTECTED_VIEW'] | readonly []) => {
    const asked = { params: { id: executionId }, without }
    const first = bodyOf(await harness.call(rows, asked))
    const ofItem = bodyOf(await harness.call(rows, { ...asked, query: { itemId: 1, size: 3 } }))
    expect([first.data.rows.length, ofItem.data.rows.length, ofItem.meta.count]).toEqual([25, 3, 150])
    const { file } = await harness.call(download, {
      ...asked,
      query: { format: format === 'PARQUET' ? 'JSON' : format },
    })
    return [JSON.stringify(first), JSON.stringify(ofItem), file === undefined ? '' : await text(file.stream)]
  }
  for (const each of await shown([])) expect(each).toContain(secret)
  for (const each of await shown(['ASSET_PROTECTED_VIEW'])) expect(each).not.toContain(secret)
})
