import { describe, expect, it } from 'vitest'
import { assetTypeNamed } from '../types/asset-types.ts'
import { manualTriggersOf } from './manual-triggers.ts'

const triggersOf = (name: Parameters<typeof assetTypeNamed>[0], isDeleted = false) =>
  manualTriggersOf({ assetTypeId: assetTypeNamed(name).id, isDeleted }).map(({ type, canTrigger, reason }) => [
    type,
    canTrigger,
    reason,
  ])

describe('profiles that users can start', () => {
  it('given a table, then all kinds of profile except INCREMENTAL can be started, and its reason is given', () => {
    expect(triggersOf('TABLE')).toEqual([
      ['FULL', true, ''],
      ['SELECTIVE', true, ''],
      ['INCREMENTAL', false, expect.stringMatching(/\w/)],
    ])
  })
  it.each([
    ['a column', triggersOf('COLUMN'), /its table/],
    ['a schema', triggersOf('SCHEMA'), /no rows/],
    ['a deleted table', triggersOf('TABLE', true), /no longer/],
  ])('given %s, then none can be started, and the reason is given', (_, triggers, reason) => {
    for (const [, canTrigger, why] of triggers) {
      expect(canTrigger).toBe(false)
      expect(why).toMatch(reason)
    }
  })
})
