import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { executionKinds } from '@assay/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executionTables, tableCopyPut } from '../copies/tables.ts'
import { tagCopyPut } from '../references/copies.ts'
import { associationFixture, itemFixture, tableFixture, tagFixture } from '../testing/fixtures.ts'
import { bodyOf, type Harness } from '../testing/harness.ts'
import { type OnEngine, openOnEngine } from '../testing/on-engine.ts'

let on: OnEngine
let harness: Harness
const executions = new Map<string, number>()
const tenant = 'default'
const position = '0000000000000000001'
const { rows, download } = executionKinds.DATA_QUALITY
const without = ['ASSET_PROTECTED_VIEW'] as const

beforeAll(async () => {
  on = await openOnEngine()
  harness = on.harness
  const path = join(on.folder, 'orders.csv')
  await writeFile(path, 'order_id,amount,name\n1,-10.5,=cmd()\n2,-4,"a, ""b"""\n3,7,c\n')
  await harness.deps.documents.put([tableCopyPut(tenant, await on.tableAt(path), position)])
  const items = [itemFixture({ id: 1, measurementType: 'RANGE_MATCH', value: { min: 0 } })]
  const formats = ['CSV', 'PARQUET', 'JSON'] as const
  for (const [index, format] of formats.entries())
    executions.set(format, await on.runKeeping(format, 40 + index, items))
}, 60_000)
afterAll(() => on.close())

const idFor = (format: string) => executions.get(format) ?? 0
async function downloaded(stored: string, format: string, protectedToo = true) {
  const { file } = await harness.call(download, {
    params: { id: idFor(stored) },
    query: { format },
    ...(protectedToo ? {} : { without }),
  })
  return file
}

describe('rows of a run in another format than the stored one', () => {
  it.each([
    ['CSV', 'JSON', /"order_id":"1","amount":"-10.5","name":"'=cmd\(\)"/],
    ['PARQUET', 'CSV', /1,-10.5,'=cmd\(\),\[1\]\r?\n2,-4.0,"a, ""b""",\[1\]/],
    ['PARQUET', 'JSON', /"order_id":2,"amount":-4,"name":"a, \\"b\\"","__rule_item_ids":\[1\]/],
    ['JSON', 'CSV', /2,-4.0,"a, ""b""",\[1\]/],
  ])('given rows stored as %s, when downloaded as %s, then they are converted', async (stored, wanted, form) => {
    const file = await downloaded(stored, wanted)
    expect(file?.name).toBe(`execution-${idFor(stored)}-bad.${wanted.toLowerCase()}`)
    const content = file ? await text(file.stream) : ''
    expect(content).toMatch(form)
    expect(file?.sizeBytes).toBe(Buffer.byteLength(content))
  })

  it('given rows stored as CSV, when downloaded as PARQUET, then it is a Parquet file', async () => {
    const file = await downloaded('CSV', 'PARQUET')
    const content = file ? await text(file.stream) : ''
    expect(content.slice(0, 4)).toBe('PAR1')
  })
})

describe('rows with a protected column', () => {
  beforeAll(async () => {
    await harness.deps.documents.put([
      tagCopyPut(tenant, tagFixture(), position),
      tagCopyPut(tenant, associationFixture(14), position),
    ])
  })

  it('given a key with the permission, then no value is masked', async () => {
    const { data } = bodyOf(await harness.call(rows, { params: { id: idFor('CSV') } }))
    expect(data.rows.map(({ values }) => values.name)).toEqual(['=cmd()', 'a, "b"'])
  })

  it('given a key without the permission, then values are masked, and the failed items are not', async () => {
    const { data } = bodyOf(await harness.call(rows, { params: { id: idFor('CSV') }, without }))
    expect(data.rows).toMatchObject([
      { values: { order_id: 1, name: '***' }, ruleItemIds: [1] },
      { values: { order_id: 2, name: '***' }, ruleItemIds: [1] },
    ])
  })

  it('given a key without the permission, when it sorts by the protected column, then 403', async () => {
    const ids = async (sortBy: string, hidden: readonly ['ASSET_PROTECTED_VIEW'] | readonly []) => {
      const answer = await harness.call(rows, { params: { id: idFor('CSV') }, query: { sortBy }, without: hidden })
      return bodyOf(answer).data.rows.map(({ values }) => values.order_id)
    }
    expect(await ids('name:desc', [])).toEqual([2, 1])
    expect(await ids('amount:desc', without)).toEqual([2, 1])
    await expect(ids('name:asc', without)).rejects.toMatchObject({ code: 'forbidden' })
  })

  it.each(['CSV', 'PARQUET', 'JSON'])(
    'given a key without the permission, then the download as %s is masked',
    async (format) => {
      const file = await downloaded(format, format, false)
      const content = file ? await text(file.stream) : ''
      expect(content).toContain('***')
      expect(content).not.toContain('cmd')
      expect(content).toContain('__rule_item_ids')
    },
  )

  it('given a merge into a tag that is not protected, then columns that still have the old tag stay masked', async () => {
    const tag = tagFixture({ revision: 1, mergedIntoId: 2 })
    const other = tagFixture({ tagId: 2, name: 'plain', protected: false })
    await harness.deps.documents.put([tagCopyPut(tenant, tag, position), tagCopyPut(tenant, other, position)])
    const firstName = async () =>
      bodyOf(await harness.call(rows, { params: { id: idFor('CSV') }, without })).data.rows[0]?.values.name
    expect(await firstName()).toBe('***')
    const moved = { kind: 'association' as const, assetId: 14, tableId: 11 }
    const [left, right] = [
      { ...moved, associationId: 1, tagId: 1, revision: 1, present: false },
      { ...moved, associationId: 2, tagId: 2, revision: 0, present: true },
    ]
    await harness.deps.documents.put([tagCopyPut(tenant, left, position), tagCopyPut(tenant, right, position)])
    expect(await firstName()).toBe('=cmd()')
  })

  it('given a view, when a column of its table is protected, then its rows are hidden until the protection ends', async () => {
    const protect = async (isProtected: boolean, revision: number) => {
      const tag = tagFixture({ revision, tagId: 9, name: 'late', protected: isProtected })
      await harness.deps.documents.put([tagCopyPut(tenant, tag, position)])
    }
    const { source, document } = (await harness.deps.documents.get(executionTables, tenant, 11)) ?? {}
    const view = { ...tableFixture(), ...document?.table, revision: (source?.revision ?? 0) + 1, sourceIds: [50] }
    await harness.deps.documents.put([tableCopyPut(tenant, view, position)])
    const values = async () =>
      bodyOf(await harness.call(rows, { params: { id: idFor('CSV') }, without })).data.rows[0]?.values
    expect(await values()).toMatchObject({ order_id: 1 })
    const column = { kind: 'association' as const, revision: 0, associationId: 9, tagId: 9, assetId: 51, tableId: 50 }
    await harness.deps.documents.put([tagCopyPut(tenant, { ...column, present: true }, position)])
    await protect(true, 0)
    await expect(values()).rejects.toMatchObject({ code: 'forbidden' })
    await protect(false, 1)
    expect(await values()).toMatchObject({ order_id: 1 })
  })

  it('given rows with a column that the table no longer has, then this column is masked too', async () => {
    const { source, document } = (await harness.deps.documents.get(executionTables, tenant, 11)) ?? {}
    const { sourceIds: _, ...table } = { ...tableFixture(), ...document?.table }
    const columns = table.columns.filter(({ name }) => name !== 'name')
    const known = { ...table, columns, revision: (source?.revision ?? 0) + 1 }
    const ids = { kind: 'association' as const, revision: 0, associationId: 7, tagId: 7, assetId: 12, tableId: 11 }
    await harness.deps.documents.put([
      tableCopyPut(tenant, known, position),
      tagCopyPut(tenant, tagFixture({ tagId: 7, name: 'ids' }), position),
      tagCopyPut(tenant, { ...ids, present: true }, position),
    ])
    const items = [itemFixture({ id: 1, measurementType: 'RANGE_MATCH', value: { min: 0 } })]
    executions.set('renamed', await on.runKeeping('CSV', 50, items))
    const { data } = bodyOf(await harness.call(rows, { params: { id: idFor('renamed') }, without }))
    expect(data.rows[0]).toMatchObject({ values: { order_id: '***', amount: -10.5, name: '***' }, ruleItemIds: [1] })
    const file = await downloaded('renamed', 'CSV', false)
    expect(file && (await text(file.stream)).split('\n')[1]?.trim()).toBe('***,-10.5,***,[1]')
  })
})
