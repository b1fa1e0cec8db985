import type { ItemRecord } from '@assay/contracts'
import { describe, expect, it } from 'vitest'
import type { Execution } from '../execution/execution.ts'
import type { ItemOutcome } from '../execution/run.ts'
import { itemFixture, policyFixture, runFixture } from '../testing/fixtures.ts'
import { maskedOutcomes } from './masked-outcomes.ts'

const mask = { columns: new Set(['name']), nested: false }

function shown(item: Partial<ItemRecord>, outcome: Partial<ItemOutcome>, over: Parameters<typeof maskedOutcomes>[1]) {
  const { policy } = policyFixture({}, [itemFixture({ id: 1, ...item })])
  const itemOutcome = { itemId: 1, verdict: 'ERRORED' as const, resultPercentage: 0, rowsScanned: 3, rowsFailed: 1 }
  const state: Execution = {
    status: 'succeeded',
    run: runFixture({ policy }),
    finishedAt: '2026-11-20T10:00:00.000Z',
    result: {
      outcomes: [{ ...itemOutcome, value: null, error: null, ...outcome }],
      rowsScanned: 3,
      qualityScore: 0,
      verdict: 'ERRORED',
      scoreError: null,
      files: { root: 'default', metadata: { key: 'default/k', file: 'part-0.json' }, good: null, bad: null },
      warnings: { total: 0, first: [] },
      engineMs: 1,
    },
  }
  const masked = maskedOutcomes(state, over)
  return masked.status === 'succeeded' ? masked.result.outcomes[0] : undefined
}

describe('what an item says to a key that may not see protected values', () => {
  it.each<[string, Partial<ItemRecord>]>([
    ['of a protected column', { measurementType: 'AGGREGATES', aggregateType: 'MAX', columnName: 'name' }],
    ['of an expression', { measurementType: 'CUSTOM', columnName: null, ruleExpression: 'name::INT > 0' }],
    ['of SQL', { measurementType: 'SQL_METRIC', columnName: null, value: { sql: 'SELECT max(name) FROM asset' } }],
    [
      'of filtered rows',
      { measurementType: 'AGGREGATES', aggregateType: 'MAX', columnName: 'id', filter: "name = 'a'" },
    ],
  ])('given an item %s, then its value and its error are hidden', (_, item) => {
    const hidden = shown(item, { value: 'secret', error: 'secret' }, mask)
    expect(hidden).toMatchObject({ value: '***', rowsScanned: 3, rowsFailed: 1 })
    expect(hidden?.error).not.toContain('secret')
  })

  it('given an item on another column, then nothing is hidden, unless the table is protected', () => {
    const item = { measurementType: 'AGGREGATES' as const, aggregateType: 'MAX' as const, columnName: 'id' }
    expect(shown(item, { value: '7' }, mask)).toMatchObject({ value: '7' })
    expect(shown(item, { value: '7' }, 'all')).toMatchObject({ value: '***' })
  })

  it('given a count, then it stays; given nothing to hide, then nothing is put there', () => {
    const count = { measurementType: 'AGGREGATES' as const, aggregateType: 'COUNT' as const, columnName: 'name' }
    expect(shown(count, { value: '3' }, mask)).toMatchObject({ value: '3' })
    expect(shown({ columnName: 'name' }, {}, mask)).toMatchObject({ value: null, error: null })
  })
})
