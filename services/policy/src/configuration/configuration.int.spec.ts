import { policyOperations as operations, persistenceOperations } from '@assay/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Harness, openHarness, tableFixture } from '../testing/harness.ts'
import { qualityPolicies } from '../testing/quality-policies.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
})
afterEach(() => harness.close())
const { create, get } = qualityPolicies(() => harness)

describe('configuration', () => {
  const read = () => harness.call(operations.getPolicyConfiguration, { params: { id: 1 } })
  const set = (body: object) => harness.call(operations.setPolicyConfiguration, { params: { id: 1 }, body })
  const template = 'x/{{REQUEST_ID}}/{{RECORD_TYPE}}'
  const custom = (bad: string) => ({
    categoriesPersistenceConfig: {
      type: 'CUSTOM',
      categoriesConfig: {
        good: { suffixTemplate: template },
        bad: { suffixTemplate: bad, format: 'CSV' },
        metadata: { suffixTemplate: template },
      },
    },
  })

  it('has defaults, merges, and adds a version', async () => {
    await create()
    expect(await read()).toEqual({
      id: 1,
      ruleId: 1,
      persistenceFolderPrefix: null,
      categoriesPersistenceConfig: { type: 'DEFAULT' },
      categoriesResultHandlingConfig: {
        good: { storeResult: false, sampleOnly: false },
        bad: { storeResult: true, sampleOnly: false },
      },
    })
    await set({ persistenceFolderPrefix: 'team-a' })
    const both = await set({
      categoriesResultHandlingConfig: { good: { storeResult: true }, bad: { storeResult: true } },
    })
    expect(both).toMatchObject({
      persistenceFolderPrefix: 'team-a',
      categoriesResultHandlingConfig: { good: { storeResult: true } },
    })
    expect(await set(custom(template))).toMatchObject({ categoriesPersistenceConfig: { type: 'CUSTOM' } })
    expect((await get(1)).rule.version).toBe(4)
    expect(await set(custom(template))).toEqual(await read())
    expect((await get(1)).rule.version).toBe(4)
  })

  it('accepts a saved configuration by its name', async () => {
    await create()
    const categoriesPersistenceConfig = { type: 'SAVED', configName: 'default' }
    await harness.call(persistenceOperations.getDefaultPersistenceConfig)
    const saved = { type: 'SAVED', configId: 1, configName: 'default' }
    expect((await set({ categoriesPersistenceConfig })).categoriesPersistenceConfig).toEqual(saved)
    expect((await read()).categoriesPersistenceConfig).toEqual(saved)
    const unknown = set({ categoriesPersistenceConfig: { type: 'SAVED', configName: 'nope' } })
    await expect(unknown).rejects.toThrow(
      "categoriesPersistenceConfig.configName: there is no persistence configuration 'nope'",
    )
    const misspelt = set({ categoriesPersistenceConfig: { type: 'SAVED', configName: 'defualt' } })
    await expect(misspelt).rejects.toThrow("'defualt'; did you mean 'default'?")
  })

  it('refuses templates that could collide or leave the root', async () => {
    await create()
    await expect(set(custom('../{{REQUEST_ID}}'))).rejects.toThrow(
      /^categoriesPersistenceConfig\.categoriesConfig\.bad\.suffixTemplate: may contain/,
    )
    await expect(set(custom('x/{{REQUEST_ID}}'))).rejects.toThrow(/bad\.suffixTemplate: resolves to the path/)
    await expect(set({ persistenceFolderPrefix: '../x' })).rejects.toThrow(/^persistenceFolderPrefix/)
  })
})
