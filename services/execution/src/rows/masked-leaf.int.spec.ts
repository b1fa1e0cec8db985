import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { executionKinds } from '@assay/contracts'
import type { DataEngine, DatasetLocator } from '@assay/data-engine'
import { createDuckDbEngine } from '@assay/data-engine/duckdb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { policyCopyPut } from '../copies/policies.ts'
import { tableCopyPut } from '../copies/tables.ts'
import { tagCopyPut } from '../references/copies.ts'
import { itemFixture, policyFixture, tableFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, idOf, openHarness } from '../testing/harness.ts'

let harness: Harness
let engine: DataEngine
let folder: string
const tenant = 'default'
const position = '0000000000000000001'
const { start, result, rows, download } = executionKinds.DATA_QUALITY
const secret = '98765'

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-leaf-'))
  const path = join(folder, 'people.jsonl')
  // More rows than the first ones that are kept beside the file.
  const line = `{"id":null,"who":{"pin":${secret}},"any":[${secret},{"a":1}]}\n`
  await writeFile(path, line.repeat(150))
  const tempRoot = join(folder, 'temp')
  engine = createDuckDbEngine({ memoryMb: 256, threads: 1, tempRoot, clock: { now: () => Date.now() } })
  harness = await openHarness({ engine, isDurable: true })
  const locators: DatasetLocator[] = []
  for await (const found of engine.discover({ sourceType: 'FILE', path }, { signal: new AbortController().signal }))
    if (found.kind === 'table') locators.push(found.locator)
  const [locator] = locators
  const columns = (locator?.columns ?? []).map((column, index) => ({ id: 12 + index, uid: `u${index}`, ...column }))
  await harness.deps.documents.put([
    tableCopyPut(tenant, tableFixture({ locator, columns }), position),
    tagCopyPut(
      tenant,
      { kind: 'tag', revision: 0, tagId: 1, name: 'pii', protected: true, mergedIntoId: null },
      position,
    ),
    // A leaf: only the catalog knows in which column it lies.
    tagCopyPut(
      tenant,
      { kind: 'association', revision: 0, associationId: 1, tagId: 1, assetId: 900, tableId: 11, present: true },
      position,
    ),
  ])
}, 60_000)
afterAll(async () => {
  await harness.close()
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

it.each([
  ['CSV', 41],
  ['PARQUET', 42],
  ['JSON', 43],
] as const)(
  'given a protected leaf and rows kept as %s, then no column with an inner structure is shown',
  async (format, id) => {
    const items = [itemFixture({ id: 1, measurementType: 'MISSING_VALUES', columnName: 'id' })]
    const message = policyFixture({ id, name: format }, items)
    const configuration = { ...message.configuration, bad: { ...message.configuration.bad, format } }
    await harness.deps.documents.put([policyCopyPut(tenant, { ...message, configuration }, position)])
    const executionId = idOf(await harness.call(start, { params: { id } }))
    await eventually(
      async () => bodyOf(await harness.call(result, { params: { id: executionId } })),
      ({ execution }) => execution.executionStatus !== 'RUNNING',
    )
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
  },
)
