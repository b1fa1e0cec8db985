import {
  internalTopics,
  persistenceOperations as operations,
  type PolicyMessage,
  policyKinds,
  policyOperations,
  ruleTagOperations as tags,
} from '@assay/contracts'
import { rebuild } from '@assay/event-store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { persistenceConfigs } from './persistence/aggregate.ts'
import { policies } from './policy/aggregate.ts'
import { ruleTags } from './rule-tags/rule-tag.ts'
import { policyAggregates } from './service.ts'
import { eventually, type Harness, openHarness, tableFixture } from './testing/harness.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
})
afterEach(() => harness.close())

const rowsOf = (folder: string) => ({ suffixTemplate: `${folder}/{{REQUEST_ID}}/{{RECORD_TYPE}}` })
const body = (name: string, folder = name) => ({
  name,
  categoriesConfig: { good: rowsOf(folder), bad: { ...rowsOf(folder), format: 'CSV' }, metadata: null },
  unknown: 1,
})
const create = (name: string, folder?: string) =>
  harness.call(operations.createPersistenceConfig, { body: body(name, folder) })
const policy = async (name = 'orders') =>
  (
    await harness.call(policyKinds.DATA_QUALITY.create, {
      body: {
        rule: { name, backingAsset: { tableAssetId: 11 } },
        items: [{ measurementType: 'MISSING_VALUES', columnName: 'note' }],
      },
    })
  ).rule.id
const choose = (id: number, categoriesPersistenceConfig: object) =>
  harness.call(policyOperations.setPolicyConfiguration, { params: { id }, body: { categoriesPersistenceConfig } })
/** The last published message of the policy, once its template for bad rows begins with `template`. */
const published = (id: number, template: string) =>
  eventually(
    () =>
      harness.bus.published
        .filter(({ topic, message }) => topic === internalTopics.policies && message.key === `default/${id}`)
        .map(({ message }) => message.data as PolicyMessage)
        .at(-1),
    (message) => message?.configuration.bad.template.startsWith(template) === true,
  )

describe('persistence configurations', () => {
  it('given a new tenant, then it has a default configuration; concurrent readers get the same one', async () => {
    const all = await Promise.all(
      Array.from({ length: 10 }, () => harness.call(operations.getDefaultPersistenceConfig)),
    )
    expect(new Set(all.map((config) => JSON.stringify(config))).size).toBe(1)
    expect(all[0]).toMatchObject({ id: 1, tenantId: 'default', isDefault: true, policyCount: 0, description: '' })
    expect(all[0]?.createdAt).toBeTypeOf('number')
    const { data, meta } = await harness.call(operations.listPersistenceConfigs, { tenant: 'other' })
    expect(data).toMatchObject([{ id: 1, tenantId: 'other' }])
    expect(meta).toEqual({ count: 1, page: 0, size: 25 })
  })

  it('given a configuration is created, changed and deleted, then each change can be read immediately', async () => {
    const made = await create('flat')
    expect(made).toMatchObject({ id: 2, isDefault: false, categoriesConfig: { good: { format: 'PARQUET' } } })
    expect(await harness.call(operations.getPersistenceConfig, { params: { id: 2 } })).toEqual(made)
    const changed = await harness.call(operations.updatePersistenceConfig, {
      params: { id: 2 },
      body: { description: 'One folder.', name: null },
    })
    expect(changed).toMatchObject({ name: 'flat', description: 'One folder.' })
    const { data } = await harness.call(operations.listPersistenceConfigs, { query: { sortBy: 'name:desc', size: 1 } })
    expect(data).toEqual([changed])
    await harness.call(operations.deletePersistenceConfig, { params: { id: 2 } })
    for (const operation of [operations.getPersistenceConfig, operations.deletePersistenceConfig])
      await expect(harness.call(operation, { params: { id: 2 } })).rejects.toMatchObject({ code: 'not-found' })
    expect((await harness.call(operations.listPersistenceConfigs)).meta.count).toBe(1)
  })

  it('given many concurrent requests with one name, then one is created', async () => {
    const made = await Promise.allSettled(Array.from({ length: 8 }, () => create('flat')))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const each of made) if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'taken' })
  })

  it('given an invalid template, then 400 with its field', async () => {
    const wrong = { ...body('x'), categoriesConfig: { ...body('x').categoriesConfig, bad: { suffixTemplate: '../x' } } }
    await expect(harness.call(operations.createPersistenceConfig, { body: wrong })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('categoriesConfig.bad.suffixTemplate'),
    })
    await expect(
      harness.call(operations.previewPersistenceTemplate, {
        params: { category: 'bad' },
        body: { suffixTemplate: 'none' },
      }),
    ).rejects.toMatchObject({ code: 'invalid' })
  })

  it('given a template, then its path is shown with the values of its tokens', async () => {
    const { resolvedSuffix, contextUsed } = await harness.call(operations.previewPersistenceTemplate, {
      params: { category: 'metadata' },
      body: {
        suffixTemplate: '{{POLICY_NAME}}/{{TIME:yyyy}}/{{REQUEST_ID}}/{{RECORD_TYPE}}',
        sampleContext: { policyName: 'a b', requestId: 'r', policyId: null },
      },
    })
    expect(resolvedSuffix).toBe('a_b/2026/r/SUMMARY')
    expect(contextUsed).toMatchObject({ policyType: 'DATA_QUALITY', recordType: 'SUMMARY', policyId: 1 })
    expect(Object.keys(contextUsed)).toHaveLength(9)
    const { variables } = await harness.call(operations.listPersistenceVariables)
    expect(variables).toHaveLength(6)
  })
})

describe('a policy with a chosen configuration', () => {
  it('given a saved configuration, then runs use its templates, even after a change', async () => {
    const id = await policy()
    const { id: configId } = await create('flat')
    const chosen = await choose(id, { type: 'SAVED', configId })
    expect(chosen.categoriesPersistenceConfig).toEqual({ type: 'SAVED', configId, configName: 'flat' })
    const message = await published(id, 'flat/')
    expect(message?.configuration).toMatchObject({ bad: { format: 'CSV' }, good: { format: 'PARQUET' } })
    const { version } = message?.policy.rule ?? {}
    const changed = await harness.call(operations.updatePersistenceConfig, {
      params: { id: configId },
      body: { categoriesConfig: body('x', 'deep').categoriesConfig },
    })
    expect(changed.policyCount).toBe(1)
    expect((await published(id, 'deep/'))?.policy.rule.version).toBe(version)
    await expect(harness.call(operations.deletePersistenceConfig, { params: { id: configId } })).rejects.toMatchObject({
      code: 'unprocessable',
    })
    await choose(id, { type: 'DEFAULT' })
    await published(id, '{{POLICY_TYPE}}')
    await harness.call(operations.deletePersistenceConfig, { params: { id: configId } })
  })

  it('given another default, then policies without a choice use it, whether new or old', async () => {
    const old = await policy('old')
    const own = await policy('own')
    await choose(own, { type: 'CUSTOM', categoriesConfig: body('x', 'mine').categoriesConfig })
    const { id } = await create('flat')
    const made = await harness.call(operations.setDefaultPersistenceConfig, { params: { id } })
    expect(made).toMatchObject({ isDefault: true, policyCount: 1 })
    await published(old, 'flat/')
    await published(await policy('new'), 'flat/')
    await published(own, 'mine/')
    expect((await harness.call(operations.getDefaultPersistenceConfig)).policyCount).toBe(2)
    await harness.call(operations.updatePersistenceConfig, {
      params: { id },
      body: { categoriesConfig: body('x', 'deep').categoriesConfig },
    })
    await published(old, 'deep/')
    await expect(harness.call(operations.deletePersistenceConfig, { params: { id } })).rejects.toMatchObject({
      code: 'unprocessable',
    })
  })

  it('given an unknown id, or one of another tenant, then 400', async () => {
    const id = await policy()
    await create('flat')
    await expect(choose(id, { type: 'SAVED', configId: 9 })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('categoriesPersistenceConfig.configId'),
    })
  })

  it('given concurrent choices and changes, then all policies end with the last templates', async () => {
    const { id: configId } = await create('flat')
    const ids = await Promise.all([1, 2, 3, 4].map((n) => policy(`p${n}`)))
    const change = (folder: string) =>
      harness.call(operations.updatePersistenceConfig, {
        params: { id: configId },
        body: { categoriesConfig: body('x', folder).categoriesConfig },
      })
    await Promise.all([...ids.map((id) => choose(id, { type: 'SAVED', configId })), change('one'), change('two')])
    const { categoriesConfig } = await harness.call(operations.getPersistenceConfig, { params: { id: configId } })
    for (const id of ids) await published(id, categoriesConfig.bad.suffixTemplate)
  })
})

describe('tags of policies', () => {
  const add = (id: number, name: string, tenant = 'default') =>
    harness.call(tags.addRuleTag, { params: { id }, body: { ruleTag: { name } }, tenant })
  const read = (id: number) => harness.call(policyOperations.getPolicy, { params: { identifier: id } })

  it('given a tag is added several times concurrently, then the policy has it once, and its version stays', async () => {
    const id = await policy()
    const made = await Promise.all(Array.from({ length: 8 }, () => add(id, ' finance ')))
    expect(new Set(made.map((tag) => JSON.stringify(tag))).size).toBe(1)
    expect(made[0]).toMatchObject({ name: 'finance', ruleId: id, tenantId: 'default' })
    expect(await read(id)).toMatchObject({ version: 1, tags: [made[0]] })
    const other = await add(await policy('other'), 'finance')
    expect(other.tagId).toBe(made[0]?.tagId)
    expect(other.id).not.toBe(made[0]?.id)
    expect((await harness.call(tags.listRuleTags)).tags).toMatchObject([{ name: 'finance', tagType: 'RULE' }])
    expect((await harness.call(tags.listRuleTags, { tenant: 'other' })).metadata.count).toBe(0)
  })

  it('given several tags are added, then the answer has all; removing one returns true, and then false', async () => {
    const id = await policy()
    const first = await add(id, 'a')
    const { ruleTags: all } = await harness.call(tags.addRuleTags, {
      params: { id },
      body: { ruleTags: [{ name: 'b' }, { name: 'a' }, { name: 'b' }] },
    })
    expect(all.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(all[0]).toEqual(first)
    const remove = () => harness.call(tags.removeRuleTag, { params: { id, tagId: first.tagId } })
    expect([await remove(), await remove()]).toEqual([true, false])
    expect((await read(id)).tags).toEqual([all[1]])
    await eventually(
      () => harness.bus.published.filter(({ topic }) => topic === internalTopics.policies).at(-1)?.message.data,
      (data) => (data as PolicyMessage | undefined)?.policy.rule.tags.map(({ name }) => name).join() === 'b',
    )
  })

  it('given an unknown policy, or one of another tenant, then 404, and no tag is created', async () => {
    const id = await policy()
    await expect(add(99, 'a')).rejects.toMatchObject({ code: 'not-found' })
    await expect(add(id, 'a', 'other')).rejects.toMatchObject({ code: 'not-found' })
    expect((await harness.call(tags.listRuleTags)).metadata.count).toBe(0)
  })
})

describe('the log', () => {
  it('given policies, configurations and tags, when the documents are rebuilt, then they are equal', async () => {
    const id = await policy()
    const { id: configId } = await create('flat')
    await create('gone')
    await harness.call(operations.deletePersistenceConfig, { params: { id: 3 } })
    await choose(id, { type: 'SAVED', configId })
    await harness.call(operations.setDefaultPersistenceConfig, { params: { id: configId } })
    await harness.call(tags.addRuleTag, { params: { id }, body: { ruleTag: { name: 'a' } } })
    const collections = [policies, persistenceConfigs, ruleTags]
    const all = async () => {
      const texts: string[] = []
      for (const collection of [policies, persistenceConfigs, ruleTags] as const)
        for await (const stored of harness.documents.scan<unknown>(collection)) texts.push(JSON.stringify(stored))
      return texts
    }
    const before = await all()
    const target = harness.documents.rebuildTarget()
    await rebuild({ store: harness.deps.store, aggregates: policyAggregates, collections, target })
    expect(before).toHaveLength(4)
    expect(await all()).toEqual(before)
  })
})
