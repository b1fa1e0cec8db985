import { describe, expect, it } from 'vitest'
import { persistenceAggregate } from './aggregate.ts'
import { builtInCategories, chosenCategories, evolve, noConfigs, type PersistenceConfigs } from './configs.ts'
import { decide, maxConfigs, type PersistenceCommand } from './decide.ts'
import { validationOf } from './template-routes.ts'

const at = '2026-11-20T10:00:00.000Z'
const rows = { suffixTemplate: 'a/{{EXECUTION_ID}}/{{RECORD_TYPE}}', format: 'CSV' as const }
const categoriesConfig = { good: rows, bad: rows, metadata: { suffixTemplate: rows.suffixTemplate } }
const create = { kind: 'CreateConfig', name: 'flat', description: null, categoriesConfig, at, by: 'ann' } as const
const run = (state: PersistenceConfigs, ...commands: PersistenceCommand[]) =>
  commands.reduce((before, command) => decide(command, before).reduce(evolve, before), state)
const begun = run(noConfigs, { kind: 'EnsureDefault', at })
const two = run(begun, create)

describe('the configurations of a tenant', () => {
  it('given no configuration, when the default is ensured twice, then there is one, with the built-in templates', () => {
    expect(begun).toMatchObject({ defaultId: 1, configs: [{ id: 1, name: 'default', createdBy: 'system/policy' }] })
    expect(decide({ kind: 'EnsureDefault', at }, begun)).toEqual([])
    expect(chosenCategories(begun, { type: 'DEFAULT' })).toEqual(builtInCategories)
  })
  it('given a taken name, then creating and renaming are refused', () => {
    expect(() => decide(create, two)).toThrow('already')
    expect(() => decide({ kind: 'ChangeConfig', id: 2, name: 'default', at, by: 'ann' }, two)).toThrow('already')
  })
  it('given a change without effect, then there is no event', () => {
    expect(decide({ kind: 'ChangeConfig', id: 2, name: 'flat', at, by: 'bob' }, two)).toEqual([])
    expect(decide({ kind: 'MakeDefault', id: 1, at, by: 'bob' }, two)).toEqual([])
  })
  it('given another default, then DEFAULT resolves to it, and the former default can be deleted', () => {
    const remove = { kind: 'DeleteConfig', id: 1, policyCount: 0, at, by: 'ann' } as const
    expect(() => decide(remove, two)).toThrow('is the default')
    const moved = run(two, { kind: 'MakeDefault', id: 2, at, by: 'ann' })
    expect(chosenCategories(moved, { type: 'DEFAULT' })).toEqual(categoriesConfig)
    expect(() => decide({ ...remove, policyCount: 1 }, moved)).toThrow('used by 1 policy')
    const left = run(moved, remove)
    expect(left).toMatchObject({ deleted: [1], configs: [{ id: 2 }] })
    expect(chosenCategories(left, { type: 'SAVED', configId: 1 })).toBe('missing')
    expect(run(left, { ...create, name: 'new' }).lastId).toBe(3)
  })
  it('given a deletion and a later change, when both are put together, then the deleted document is removed', () => {
    const later = run(two, { kind: 'DeleteConfig', id: 2, policyCount: 0, at, by: 'ann' }, { ...create, name: 'new' })
    const puts = persistenceAggregate.documents(later, { tenant: 't', id: 'all' }, { revision: 3, position: '3' })
    expect(puts.map(({ id, document }) => [id, document === null])).toEqual([
      [2, true],
      [1, false],
      [3, false],
    ])
  })
  it('given the maximum number of configurations, then another is refused', () => {
    const creations = Array.from({ length: maxConfigs - 1 }, (_, index) => ({ ...create, name: `c${index}` }))
    expect(() => decide(create, run(begun, ...creations))).toThrow('Delete some first')
  })
})

describe('a validation', () => {
  it('given correct templates, then valid', () => {
    expect(validationOf(categoriesConfig, true)).toEqual({ valid: true, error: null, categoryErrors: null })
  })
  it('given an invalid template, equal paths, or missing metadata, then the answer names the category', () => {
    const wrong = validationOf({ ...categoriesConfig, bad: { suffixTemplate: 'static' } }, false)
    expect(wrong).toMatchObject({ valid: false, categoryErrors: { good: null, bad: expect.stringContaining('must') } })
    const same = { suffixTemplate: 'x/{{REQUEST_ID}}' }
    expect(validationOf({ good: same, bad: same }, false)).toMatchObject({
      valid: false,
      categoryErrors: { bad: expect.stringContaining('resolves') },
    })
    expect(validationOf({ good: rows, bad: rows }, true)).toMatchObject({
      categoryErrors: { metadata: expect.stringContaining('must be there') },
    })
    expect(validationOf({ good: rows, bad: rows }, false).valid).toBe(true)
  })
})
