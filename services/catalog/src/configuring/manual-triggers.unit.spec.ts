import { describe, expect, it } from 'vitest'
import { assetTypeNamed } from '../types/asset-types.ts'
import { manualTriggersOf } from './manual-triggers.ts'

type Facts = Parameters<typeof manualTriggersOf>[1]
const found = { columns: [], fingerprint: '' }
const relation: Facts['locator'] = {
  ...{ kind: 'relation', engine: 'POSTGRESQL', schema: 'public', table: 'orders' },
  ...found,
}
const files: Facts['locator'] = {
  ...{ kind: 'files', root: '/data', pattern: '/data/orders.csv', format: 'CSV', partitioned: false },
  ...found,
}
const unmarked: Facts = { locator: relation, isMarked: false }

const triggersOf = (name: Parameters<typeof assetTypeNamed>[0], isDeleted = false, facts = unmarked) =>
  manualTriggersOf({ assetTypeId: assetTypeNamed(name).id, isDeleted }, facts).map(({ type, canTrigger, reason }) => [
    type,
    canTrigger,
    reason,
  ])

describe('profiles that users can start', () => {
  it('given a table of a database without a marker, then an INCREMENTAL one has no marker', () => {
    expect(triggersOf('TABLE')).toEqual([
      ['FULL', true, ''],
      ['SELECTIVE', true, ''],
      ['INCREMENTAL', false, expect.stringMatching(/freshnessColumnInfo/)],
    ])
  })
  it.each([
    ['a table whose configuration has a marker', triggersOf('TABLE', false, { ...unmarked, isMarked: true })],
    ['files', triggersOf('FILE', false, { locator: files, isMarked: false })],
  ])('given %s, then all kinds of profile can be started', (_, triggers) => {
    expect(triggers).toEqual(['FULL', 'SELECTIVE', 'INCREMENTAL'].map((type) => [type, true, '']))
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
