import { expect, it } from 'vitest'
import { itemFixture, policyFixture, runFixture } from '../testing/fixtures.ts'
import { runSummaryOf } from './run-summary.ts'

const side = { rowsScanned: 1, mark: null, warnings: { total: 0, first: [] }, engineMs: 1, touched: [] }
const outcome = { verdict: 'ERRORED' as const, resultPercentage: 0, rowsScanned: 1, rowsFailed: 3, value: null }
const run = runFixture({}, policyFixture({}, [itemFixture({ id: 1 })]))
const keys = { leftDuplicateKeys: 0, rightDuplicateKeys: 0, leftNullKeys: 0, rightNullKeys: 0 }

it('given a comparison, then its rows are those of both tables, so never fewer than those that failed', () => {
  const figures = { leftRows: 1, rightRows: 2, equal: 0, changed: 0, onlyLeft: 1, onlyRight: 2, columns: [], ...keys }
  const definition = { ...run.definition, comparison: () => ({ figures, warnings: [] }) }
  const summary = runSummaryOf({
    status: 'succeeded',
    run: { ...run, definition },
    finishedAt: '2026-11-20T10:00:00.000Z',
    result: {
      outcomes: [{ itemId: 1, ...outcome, error: null }],
      qualityScore: 0,
      verdict: 'ERRORED',
      scoreError: null,
      files: { root: 'default', metadata: { key: 'k', file: 'f' }, good: null, bad: null },
      sides: [
        { side: 'LEFT', ...side },
        { side: 'RIGHT', ...side, rowsScanned: 2 },
      ],
      markKey: null,
    },
  })
  expect(summary).toMatchObject({ rows: 3, failedRows: 3 })
})
