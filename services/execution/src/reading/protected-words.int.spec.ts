import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { executionKinds, executionOperations, type Permission, profileOperations, publicTopics } from '@assay/contracts'
import { done, type Message } from '@assay/message-bus'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executionPolicies } from '../copies/policies.ts'
import { tableCopyPut } from '../copies/tables.ts'
import { tagCopyPut } from '../references/copies.ts'
import { itemFixture, policyFixture, schemaDriftFixture, tableFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, idOf } from '../testing/harness.ts'
import { type OnEngine, openOnEngine } from '../testing/on-engine.ts'

let on: OnEngine
let harness: Harness
const published: Message[] = []
const tenant = 'default'
const position = '0000000000000000001'
const { start, result, detail, list } = executionKinds.DATA_QUALITY
/** A part of every protected value, and of no other text. */
const secret = '98765'

async function tableOf(assetId: number, name: string, text: string) {
  const path = join(on.folder, name)
  await writeFile(path, text)
  return on.tableAt(path, { assetId, name, uid: `sales.${name}`, path: ['sales', name] })
}

const hide = (associationId: number, assetId: number, tableId: number) =>
  tagCopyPut(
    tenant,
    { kind: 'association', revision: 0, associationId, tagId: 1, assetId, tableId, present: true },
    position,
  )

async function run(id: number, executionType: 'FULL' | 'INCREMENTAL' = 'FULL') {
  const executionId = idOf(await harness.call(start, { params: { id }, body: { executionType } }))
  await on.ended(executionId)
  return executionId
}

/** All texts about a run and its policy, for a key without these permissions. */
async function textsAbout(policyId: number, id: number, without: readonly Permission[]): Promise<string[]> {
  const asked = { params: { id }, without }
  const answers = await Promise.all([
    harness.call(result, asked),
    harness.call(detail, asked),
    harness.call(list, { params: { id: policyId }, without }),
    harness.call(executionOperations.listExecutions, { query: { ruleId: policyId }, without }),
    harness.call(executionOperations.listPolicies, { query: { withLatestExecution: true }, without }),
    harness.call(executionOperations.listPoliciesOfAsset, { params: { id: 11 }, without }),
    harness.call(executionOperations.listPoliciesOfAsset, {
      params: { id: 11 },
      query: { onlyLatest: false },
      without,
    }),
  ])
  return answers.map(({ body }) => JSON.stringify(body))
}

beforeAll(async () => {
  on = await openOnEngine()
  harness = on.harness
  await harness.deps.bus.subscribe({
    topics: [publicTopics.executions],
    group: 'spec',
    handle: async ({ message }) => {
      published.push(message)
      return done
    },
  })
  const people = await tableOf(11, 'people.csv', `name,pin,word\nann,${secret},x${secret}\n`)
  const gone = await tableOf(100, 'gone.csv', `pin\n${secret}\n`)
  const marker = { type: 'IdMarkerConfig', columnName: 'pin', initialOffset: 1 }
  const { backingAsset } = policyFixture().policy.rule
  const item = itemFixture({ measurementType: 'MISSING_VALUES', columnName: 'name' })
  const ofOther = itemFixture({
    measurementType: 'SQL_METRIC',
    columnName: null,
    value: { sql: 'SELECT max(pin) FROM "gone.csv"', operator: 'GT', value: 1 },
  })
  const policies = [
    policyFixture({ id: 1, name: 'fails', filter: 'CAST(word AS INTEGER) > 1' }, [item]),
    policyFixture({ id: 2, name: 'marked', backingAsset: { ...backingAsset, marker } }, [item]),
    policyFixture({ id: 3, name: 'other' }, [ofOther]),
  ]
  await harness.deps.documents.put([
    tableCopyPut(tenant, people, position),
    tableCopyPut(tenant, gone, position),
    tagCopyPut(
      tenant,
      { kind: 'tag', revision: 0, tagId: 1, name: 'pii', protected: true, mergedIntoId: null },
      position,
    ),
  ])
  for (const policy of policies) await harness.policy(policy)
  for (const { policy } of policies)
    await eventually(
      () => harness.deps.documents.get(executionPolicies, tenant, policy.rule.id),
      (copy) => copy !== undefined,
    )
}, 60_000)
afterAll(() => on.close())

describe('texts about runs for a key that may not see protected values', () => {
  it('given a SELECT of another table that was later deleted and protected, then its value is hidden', async () => {
    const id = await run(3)
    const of = async (without: readonly Permission[]) =>
      JSON.stringify((await harness.call(result, { params: { id }, without })).body)
    expect(await of(['ASSET_PROTECTED_VIEW'])).toContain(secret)
    const gone = await tableOf(100, 'gone.csv', `pin\n${secret}\n`)
    const deleted = { ...gone, revision: gone.revision + 1, isDeleted: true }
    await harness.deps.documents.put([tableCopyPut(tenant, deleted, position), hide(9, 101, 100)])
    expect(await of(['ASSET_PROTECTED_VIEW'])).not.toContain(secret)
    expect(await of([])).toContain(secret)
  })

  it('given a marker position, then it is hidden once the column is protected', async () => {
    await run(2, 'INCREMENTAL')
    const marked = await run(2, 'INCREMENTAL')
    for (const text of await textsAbout(2, marked, ['ASSET_PROTECTED_VIEW'])) expect(text).toContain(secret)
    await harness.deps.documents.put([hide(1, 13, 11), hide(2, 14, 11)])
    for (const text of await textsAbout(2, marked, ['ASSET_PROTECTED_VIEW'])) expect(text).not.toContain(secret)
    for (const text of await textsAbout(2, marked, [])) expect(text).toContain(secret)
  })

  it('given a renamed column, then how similar its content is stays hidden once the table has protected columns', async () => {
    const { backingAsset } = policyFixture().policy.rule
    const table = await tableOf(300, 'plans.csv', `pin,plan\n${secret},a\n`)
    await harness.deps.documents.put([tableCopyPut(tenant, table, position)])
    const target = { ...backingAsset, tableAssetId: 300 }
    await harness.policy(schemaDriftFixture({ id: 4, name: 'schema', backingAsset: target }))
    await eventually(
      () => harness.deps.documents.get(executionPolicies, tenant, 4),
      (copy) => copy !== undefined,
    )
    const { start: startDrift, result: resultOfDrift } = executionKinds.SCHEMA_DRIFT
    const runDrift = async (without: readonly Permission[]) => {
      const id = idOf(await harness.call(startDrift, { params: { id: 4 } }))
      const of = (hiding: readonly Permission[]) => async () =>
        bodyOf(await harness.call(resultOfDrift, { params: { id }, without: hiding }))
      await eventually(of([]), ({ execution }) => execution.executionStatus !== 'RUNNING')
      return [await of([])(), await of(without)()].map(({ items }) => items[0]?.drift?.changes[0]?.evidence)
    }
    await runDrift([])
    await writeFile(join(on.folder, 'plans.csv'), `code,plan\n${secret},a\n`)
    await harness.deps.documents.put([hide(10, 302, 300)])
    const evidence = { samePosition: true, similarity: 1 }
    expect(await runDrift(['ASSET_PROTECTED_VIEW'])).toEqual([evidence, { ...evidence, similarity: null }])
  })

  it('given a run that fails at a value, then no text contains the value without the permission', async () => {
    const failed = await run(1)
    for (const text of await textsAbout(1, failed, ['ASSET_PROTECTED_VIEW'])) expect(text).not.toContain(secret)
  })

  it('given a failure, then the public event has no values', async () => {
    const failed = await eventually(
      async () => published.filter(({ type }) => type.endsWith('ExecutionFailed')),
      ({ length }) => length > 0,
    )
    expect(JSON.stringify(failed)).toContain('cannot be converted')
    expect(JSON.stringify(published)).not.toContain(secret)
  })

  it('given a profile that fails at a value, then its error does not contain the value without the permission', async () => {
    const dataset = {
      kind: 'query' as const,
      sql: 'SELECT CAST(word AS INTEGER) AS n FROM "people.csv"',
      tables: [
        {
          name: 'people.csv',
          dataset: (await tableOf(11, 'people.csv', `name,pin,word\nann,${secret},x${secret}\n`)).locator,
        },
      ],
      columns: [{ name: 'n', dataType: 'INTEGER' }],
      fingerprint: '',
    }
    const columns = [{ id: 201, uid: 'sales.view.n', name: 'n', dataType: 'INTEGER' }]
    const view = tableFixture({ assetId: 200, name: 'view', uid: 'sales.view', columns, path: ['sales', 'view'] })
    await harness.deps.documents.put([hide(2, 14, 11)])
    const put = tableCopyPut(tenant, { ...view, locator: dataset, sourceIds: [11] }, position)
    await harness.deps.documents.put([put])
    const body = { data: { profilingType: 'FULL' as const } }
    const asked = bodyOf(await harness.call(profileOperations.startProfile, { params: { id: 200 }, body })).data
    const latest = async (without: readonly Permission[]) =>
      bodyOf(await harness.call(profileOperations.getLatestProfile, { params: { id: 200 }, without })).data
    const ended = await eventually(
      () => latest([]),
      ({ status }) => status !== 'IN_PROGRESS',
    )
    expect([ended.id, ended.status]).toEqual([asked.id, 'FAILED'])
    expect(ended.errorMessage).toContain('cannot be converted')
    expect(ended.errorMessage).not.toContain(secret)
  })
})
