import { expect, it } from 'vitest'
import type { RunResult } from '../execution/run.ts'
import { itemFixture, policyFixture, runFixture } from '../testing/fixtures.ts'
import { executionResultOf } from './execution-result.ts'
import { executionAnswerOf } from './item-records.ts'
import { hiddenPartsOf, withHidden } from './masked-outcomes.ts'

const items = [1, 2].map((id) => itemFixture({ id, executionOrder: id }))
const outcome = { verdict: 'ERRORED' as const, resultPercentage: 61.7, rowsScanned: 73, rowsFailed: 27, value: '7' }
const state = {
  status: 'succeeded' as const,
  run: runFixture({}, policyFixture({}, items)),
  finishedAt: '2026-11-20T10:00:00.000Z',
  result: {
    outcomes: items.map(({ id }) => ({ itemId: id, ...outcome, error: 'Conversion 98765' })),
    qualityScore: 61.7,
    verdict: 'ERRORED' as const,
    scoreError: 'why',
    files: {
      root: 'default',
      metadata: { key: 'default/k', file: 'part-0.json' },
      good: null,
      bad: { key: 'k', file: 'part-0.csv', previewFile: 'p', format: 'CSV' as const, rows: 27 },
    },
    sides: [
      {
        side: 'ONE' as const,
        rowsScanned: 73,
        mark: null,
        warnings: { total: 0, first: [] },
        engineMs: 1,
        touched: [],
      },
    ] as [RunResult['sides'][0]],
    markKey: null,
  },
}
const none = { onFilter: false, onMarker: false, items: new Set<number>() }

function shown(dependence: Parameters<typeof hiddenPartsOf>[1]) {
  const hidden = hiddenPartsOf(state, dependence)
  if (hidden === undefined) throw new Error('Nothing is hidden.')
  return withHidden(state, hidden)
}

it('given an item that depends on protected values, then its outcome and all figures derived from it are hidden', () => {
  const masked = shown({ ...none, items: new Set([1]) })
  const result = executionResultOf(masked, 0)
  expect(result.execution.resultStatus).toBe('HIDDEN')
  expect(result.result).toMatchObject({ status: 'HIDDEN', qualityScore: null, failedRows: null, failureCount: null })
  expect(result.meta.files).toEqual({ bad: null, good: null })
  const hiddenItem = { status: 'HIDDEN', success: null, resultPercentage: null, rowsFailed: null, value: '***' }
  expect(result.items).toMatchObject([hiddenItem, { status: 'ERRORED', success: false, rowsFailed: 27, value: '7' }])
  expect(executionAnswerOf(masked).items).toMatchObject([{ status: 'HIDDEN', result: null }, { status: 'ERRORED' }])
  expect(result.result.rows).toBe(73)
  expect(JSON.stringify([result.items[0], result.result])).not.toMatch(/98765|61\.7|27/)
})

it.each([
  { ...none, onFilter: true },
  { ...none, onMarker: true },
])('given a filter or marker on protected values, then even the number of rows is hidden', (dependence) => {
  expect(JSON.stringify(executionResultOf(shown(dependence), 0))).not.toMatch(/"[a-zA-Z]+":(73|27|61\.7)\b/)
})

it('given an incremental run by a protected marker column, then its result does not reveal whether the run read rows', () => {
  const marked = (mark: string | null) => {
    const [side] = state.result.sides
    const sides: typeof state.result.sides = [{ ...side, mark }]
    const run = { ...state.run, executionType: 'INCREMENTAL' as const }
    const reached = { ...state, run, result: { ...state.result, markKey: mark === null ? null : '11:id', sides } }
    const hidden = hiddenPartsOf(reached, { ...none, onMarker: true })
    const seen = hidden && withHidden(reached, hidden)
    return seen?.status === 'succeeded' ? seen.result.sides : 'nothing'
  }
  expect(marked('98765')).toMatchObject([{ mark: '***' }])
  expect(marked(null)).toEqual(marked('98765'))
})

it('given no part that depends on protected values, then no part is hidden', () => {
  expect(hiddenPartsOf(state, { ...none, items: new Set([9]) })).toBeUndefined()
})
