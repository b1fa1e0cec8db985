import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { executionKinds, type StartRequest } from '@assay/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executionPolicies, policyCopyPut } from '../copies/policies.ts'
import { tableCopyPut } from '../copies/tables.ts'
import { prepareDefinition } from '../preparing/prepare-definition.ts'
import { tagCopyPut, templateCopyPut, variablesCopyPut } from '../references/copies.ts'
import { arrivalFixture, associationFixture, itemFixture, policyFixture, tagFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, idOf } from '../testing/harness.ts'
import { type OnEngine, openOnEngine } from '../testing/on-engine.ts'

let on: OnEngine
let harness: Harness
const tenant = 'default'
const position = '0000000000000000001'
const path = () => join(on.folder, 'orders.csv')
const { start, result } = executionKinds.DATA_QUALITY

async function tableOf(assetId: number, file: string, text: string) {
  const path = join(on.folder, file)
  await writeFile(path, text)
  return on.tableAt(path, { assetId, name: file, uid: `sales.${file}`, path: ['sales', 'in', file] })
}

let revision = 0
async function policy(id: number, rule: Parameters<typeof policyFixture>[0], items = [itemFixture()]) {
  revision += 1
  const message = { ...policyFixture({ id, name: `policy ${id}`, ...rule }, items), revision }
  await harness.deps.documents.put([policyCopyPut(tenant, message, position)])
}

async function run(id: number, body: Partial<StartRequest> = {}) {
  return on.ended(idOf(await harness.call(start, { params: { id }, body })))
}

beforeAll(async () => {
  on = await openOnEngine()
  harness = on.harness
  const orders = await tableOf(11, 'orders.csv', 'order_id,amount,country\n1,10.5,DE\n2,,FR\n3,-4,XX\n')
  const countries = await tableOf(100, 'countries.csv', 'code\nDE\nFR\n')
  const code = '${column} > ${least} AND ${most} >= ${column}'
  const parameter = (key: string, value: string | null, isColumnVariable = false) => ({ key, value, isColumnVariable })
  await harness.deps.documents.put([
    tableCopyPut(tenant, orders, position),
    tableCopyPut(tenant, countries, position),
    variablesCopyPut(
      tenant,
      {
        revision: 0,
        assetId: 5,
        path: ['sales', 'in'],
        variables: [
          { key: 'least', value: '100' },
          { key: 'home', value: 'DE' },
        ],
      },
      position,
    ),
    variablesCopyPut(
      tenant,
      { revision: 0, assetId: 11, path: orders.path ?? null, variables: [{ key: 'least', value: '0' }] },
      position,
    ),
    templateCopyPut(
      tenant,
      {
        revision: 0,
        udfId: 9,
        name: 'between',
        language: 'EXPRESSION',
        udfType: 'FILTER',
        udfDataType: 'BOOLEAN',
        code,
        variables: [parameter('column', null, true), parameter('least', '-10'), parameter('most', null)],
        isDeleted: false,
      },
      position,
    ),
    tagCopyPut(tenant, tagFixture({ name: 'old', protected: false, mergedIntoId: 2 }), position),
    tagCopyPut(tenant, tagFixture({ tagId: 2, name: 'money', protected: false }), position),
    tagCopyPut(tenant, associationFixture(13), position),
  ])
}, 60_000)
afterAll(() => on.close())

const target = policyFixture().policy.rule.backingAsset
const markedBy = (marker: { type: string; [key: string]: unknown }) => ({ backingAsset: { ...target, marker } })

describe('runs that read a part of the data', () => {
  it('given a stored marker, then an INCREMENTAL run reads from its offset, and the next run only new rows', async () => {
    await policy(21, markedBy({ type: 'IdMarkerConfig', columnName: 'order_id', initialOffset: 2 }))
    const first = await run(21, { executionType: 'INCREMENTAL' })
    expect(first.result).toMatchObject({ rows: 2 })
    expect(first.execution.markerConfig).toMatchObject({ type: 'IdMarkerConfig', initialOffset: 2 })
    expect(first.execution.lastMarker).toMatchObject({ initialOffset: '3' })
    const idle = await run(21, { executionType: 'INCREMENTAL' })
    expect(idle.result).toMatchObject({ rows: 0 })
    expect(idle.execution).toMatchObject({ executionStatus: 'SUCCESSFUL', resultStatus: 'ERRORED' })
    expect(idle.items).toMatchObject([{ error: 'no rows' }])
    expect(JSON.stringify(idle.meta)).toContain('There are no new rows since the mark 3')
    await writeFile(path(), 'order_id,amount,country\n1,10.5,DE\n2,,FR\n3,-4,XX\n4,,DE\n5,1,DE\n')
    const third = await run(21, { executionType: 'INCREMENTAL' })
    expect(third.result).toMatchObject({ rows: 2, failedRows: 1 })
    expect(third.execution.lastMarker).toMatchObject({ initialOffset: '5' })
    expect((await run(21, { executionType: 'FULL' })).result).toMatchObject({ rows: 5 })
    expect((await run(21, { executionType: 'INCREMENTAL' })).result).toMatchObject({ rows: 0 })
  })

  it('given a cadence policy with a marker, then its runs count the rows that they read', async () => {
    const { start } = executionKinds.DATA_CADENCE
    await harness.deps.documents.put([tableCopyPut(tenant, await tableOf(40, 'events.csv', 'id\n1\n2\n3\n'), position)])
    const backingAsset = { ...target, tableAssetId: 40, marker: { type: 'IdMarkerConfig', columnName: 'id' } }
    const message = arrivalFixture('DATA_CADENCE', { id: 40, name: 'events', backingAsset })
    await harness.deps.documents.put([policyCopyPut(tenant, message, position)])
    const rowsOf = async (body: Partial<StartRequest>) => {
      const id = idOf(await harness.call(start, { params: { id: 40 }, body }))
      const { items } = await eventually(
        async () => bodyOf(await harness.call(executionKinds.DATA_CADENCE.result, { params: { id } })),
        ({ execution }) => execution.executionStatus !== 'RUNNING',
      )
      return items.find(({ ruleItemId }) => ruleItemId === 401)?.value
    }
    const markerConfig = { type: 'bound' as const, idColumnName: 'id', fromId: 2, toId: 2 }
    expect(await rowsOf({})).toBe('3')
    await writeFile(join(on.folder, 'events.csv'), 'id\n1\n2\n3\n4\n')
    expect(await rowsOf({ executionType: 'INCREMENTAL' })).toBe('1')
    expect(await rowsOf({ executionType: 'SELECTIVE', markerConfigs: [{ assetId: 40, markerConfig }] })).toBe('1')
    expect(await rowsOf({ executionType: 'FULL' })).toBe('4')
  })

  it('given no new rows and zero rows as success, then an INCREMENTAL run succeeds with the same marker position', async () => {
    const marked = markedBy({ type: 'IdMarkerConfig', columnName: 'order_id' })
    await policy(27, { ...marked, treatZeroRowsAsSuccess: true })
    const first = await run(27, { executionType: 'INCREMENTAL' })
    // A start without an execution type uses the stored marker.
    const { execution, result, items, meta } = await run(27)
    expect(execution.executionType).toBe('INCREMENTAL')
    expect(meta.notes).toEqual([{ ruleItemId: 1, note: 'There are no new rows since the mark 5.' }])
    expect(result).toMatchObject({ rows: 0, qualityScore: 100 })
    expect(execution).toMatchObject({ executionStatus: 'SUCCESSFUL', resultStatus: 'SUCCESSFUL', executionError: null })
    expect(execution.lastMarker).toEqual(first.execution.lastMarker)
    expect(items).toMatchObject([{ status: 'SUCCESSFUL', error: null }])
  })

  it('given a policy is moved to another table with the same marker, then an INCREMENTAL run starts from the beginning', async () => {
    const first = await tableOf(31, 'first.csv', 'order_id,amount,country\n7,1,DE\n8,2,DE\n9,2,DE\n')
    const other = await tableOf(32, 'others.csv', 'order_id,amount,country\n1,1,DE\n2,2,DE\n')
    await harness.deps.documents.put([first, other].map((table) => tableCopyPut(tenant, table, position)))
    const marker = { type: 'IdMarkerConfig', columnName: 'order_id' }
    const on = ({ assetId, uid }: typeof first) => ({ ...target, tableAssetId: assetId, tableAssetUid: uid, marker })
    await policy(28, { backingAsset: on(first) })
    expect((await run(28, { executionType: 'INCREMENTAL' })).result).toMatchObject({ rows: 3 })
    await policy(28, { version: 2, backingAsset: on(other) })
    expect((await run(28, { executionType: 'INCREMENTAL' })).result).toMatchObject({ rows: 2 })
  })

  it('given a failed run, then it does not change the marker position', async () => {
    await policy(22, { ...markedBy({ type: 'IdMarkerConfig', columnName: 'order_id' }), filter: 'nothing = 1' })
    const failed = await run(22, { executionType: 'INCREMENTAL' })
    expect(failed.execution).toMatchObject({ executionStatus: 'FAILED', lastMarker: null })
    await policy(22, markedBy({ type: 'IdMarkerConfig', columnName: 'order_id' }))
    expect((await run(22, { executionType: 'INCREMENTAL' })).result).toMatchObject({ rows: 5 })
  })

  it('given bounds in the start request, then a SELECTIVE run reads the rows between them, inclusive', async () => {
    await policy(23, {})
    const markerConfigs = [
      { assetId: 11, markerConfig: { type: 'bound' as const, idColumnName: 'order_id', fromId: 2, toId: 4 } },
    ]
    const { execution, result: selected } = await run(23, { executionType: 'SELECTIVE', markerConfigs })
    expect(selected).toMatchObject({ rows: 3 })
    expect(execution).toMatchObject({
      executionType: 'SELECTIVE',
      markerConfig: { type: 'bound', fromId: 2 },
      lastMarker: null,
    })
  })

  it.each([
    [
      {
        executionType: 'SELECTIVE',
        markerConfigs: [{ assetId: 12, markerConfig: { type: 'bound', idColumnName: 'order_id', fromId: 1, toId: 2 } }],
      },
      'invalid',
      'markerConfigs[0].assetId',
    ],
    [
      {
        executionType: 'SELECTIVE',
        markerConfigs: [{ assetId: 11, markerConfig: { type: 'bound', idColumnName: 'gone', fromId: 1, toId: 2 } }],
      },
      'invalid',
      'markerConfigs[0].markerConfig.idColumnName',
    ],
    [
      {
        executionType: 'SELECTIVE',
        markerConfigs: [{ assetId: 11, markerConfig: { type: 'timestamp', initialOffset: '1' } }],
      },
      'unprocessable',
      'topics',
    ],
    [{ executionType: 'INCREMENTAL' }, 'unprocessable', 'marker'],
  ])('given %j, then the start is refused as %s', async (body, code, word) => {
    await policy(24, {})
    const starting = harness.call(start, { params: { id: 24 }, body })
    await expect(starting).rejects.toMatchObject({ code, message: expect.stringContaining(word) })
  })
})

describe('items that reference more than columns', () => {
  const items = [
    itemFixture({ id: 1, measurementType: 'CUSTOM', columnName: null, ruleExpression: 'amount > ${least}' }),
    itemFixture({ id: 2, measurementType: 'CUSTOM', columnName: null, ruleExpression: 'amount > ${unknown}' }),
    itemFixture({
      id: 3,
      measurementType: 'UDF_PREDICATE',
      columnName: null,
      value: {
        udfId: 9,
        parameters: [
          { key: 'column', value: 'order_id' },
          { key: 'most', value: '3' },
        ],
      },
    }),
    itemFixture({
      id: 4,
      measurementType: 'VALUES_IN_LOOKUP',
      columnName: 'country',
      value: { lookupAssetId: 100, lookupColumnName: 'code' },
    }),
    itemFixture({ id: 5, measurementType: 'TAG_MATCH', columnName: 'amount', value: { tag: 'money' } }),
    itemFixture({ id: 6, measurementType: 'TAG_MATCH', columnName: null, value: { tag: 'old' } }),
    itemFixture({
      id: 7,
      thresholdConfig: { type: 'ABSOLUTE', config: { direction: 'ABOVE', success: 100 }, success: 100, warning: null },
      measurementType: 'SQL_METRIC',
      columnName: null,
      value: {
        sql: 'SELECT count(*) FROM asset JOIN "countries.csv" ON code = country WHERE country = ${home}',
        operator: 'EQ',
        value: 3,
      },
    }),
    itemFixture({ id: 8, measurementType: 'UDF_PREDICATE', columnName: null, value: { udfId: 10 } }),
  ]

  it('given variables, templates, lookups, tags and other tables, then each item has its own result', async () => {
    await policy(31, {}, items)
    const ended = await run(31)
    expect(ended.items).toMatchObject([
      { ruleItemId: 1, rowsScanned: 5, rowsFailed: 3 },
      { ruleItemId: 2, error: expect.stringContaining('${unknown}') },
      { ruleItemId: 3, rowsScanned: 5, rowsFailed: 2 },
      { ruleItemId: 4, rowsScanned: 5, rowsFailed: 1 },
      { ruleItemId: 5, status: 'SUCCESSFUL', resultPercentage: 100, rowsScanned: null },
      { ruleItemId: 6, status: 'ERRORED', resultPercentage: 0, error: null },
      { ruleItemId: 7, value: '3', resultPercentage: 100 },
      { ruleItemId: 8, error: expect.stringContaining('no UDF template with the id 10') },
    ])
  })

  it('given a SELECT of another table, when a column of the table is protected, then the value is hidden', async () => {
    await policy(32, {}, items)
    const id = (await run(32)).execution.id
    const association = { kind: 'association' as const, associationId: 7, tagId: 7, assetId: 100, tableId: 100 }
    const protect = (present: boolean, revision: number) =>
      harness.deps.documents.put([tagCopyPut(tenant, { ...association, present, revision }, position)])
    const value = async (without: readonly ['ASSET_PROTECTED_VIEW'] | undefined) => {
      const answer = bodyOf(await harness.call(result, { params: { id }, ...(without ? { without } : {}) }))
      return answer.items.find(({ ruleItemId }) => ruleItemId === 7)?.value
    }
    expect(await value(['ASSET_PROTECTED_VIEW'])).toBe('3')
    await protect(true, 0)
    expect(await value(['ASSET_PROTECTED_VIEW'])).toBe('***')
    expect(await value(undefined)).toBe('3')
    await protect(false, 1)
    expect(await value(['ASSET_PROTECTED_VIEW'])).toBe('3')
  })

  it('given a definition, when it is checked, then problems have their field', async () => {
    const timers = { sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) }
    const check = prepareDefinition(
      on.engine,
      { sleep: (_, signal) => (signal ? new Promise(() => {}) : timers.sleep()) },
      harness.deps.documents,
      async () => undefined,
    )
    const stored = await harness.deps.documents.get(executionPolicies, tenant, 31)
    expect(stored).toBeDefined()
    const table = await tableOf(11, 'orders.csv', 'order_id,amount,country\n1,10.5,DE\n')
    const definition = { tenant, assetId: 11, locator: table.locator, metrics: [] }
    expect(await check({ ...definition, items: items.slice(2, 6) })).toMatchObject({ itemProblems: [] })
    expect(await check({ ...definition, items: items.slice(7) })).toMatchObject({
      itemProblems: [{ id: 8, path: 'value.udfId' }],
    })
    const strange = itemFixture({
      id: 1,
      measurementType: 'UDF_PREDICATE',
      columnName: null,
      value: { udfId: 9, parameters: { column: 'gone', most: 'text' } },
    })
    expect(await check({ ...definition, items: [strange] })).toMatchObject({
      itemProblems: [{ id: 1, path: 'value.parameters.column' }],
    })
    const filter = { sql: 'country = ${home}', variables: {} }
    expect(await check({ ...definition, filter })).toMatchObject({ filterError: null })
    const metric = {
      kind: 'rows' as const,
      id: 1,
      predicate: { kind: 'expression' as const, expression: { sql: 'amount > ${gone}', variables: {} } },
    }
    expect(await check({ ...definition, metrics: [metric] })).toMatchObject({ metricErrors: [{ id: 1 }] })
  })
})
