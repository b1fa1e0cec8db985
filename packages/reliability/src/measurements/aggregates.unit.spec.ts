import type { ItemRecord, Threshold } from '@assay/contracts'
import type { MetricResult } from '@assay/data-engine'
import { describe, expect, it } from 'vitest'
import { itemOf } from '../item-fixture.ts'
import { judgeItem } from '../judge-item.ts'
import { planItem } from '../plan-item.ts'
import { figuresOf } from '../series/item-figures.ts'
import { thresholdRecordOf } from '../threshold.ts'

const min = (given: Partial<ItemRecord>) =>
  itemOf({ measurementType: 'AGGREGATES', aggregateType: 'MIN', columnName: 'v', ...given })
const atLeast = (value: string | number) => min({ value: { operator: 'GTE', value } })
const between = (low: string | number, high: string | number) =>
  min({ value: { operator: 'BETWEEN', min: low, max: high } })
const byThreshold = (threshold: Threshold) => min({ thresholdConfig: thresholdRecordOf(threshold) })
const absolute: Threshold = { type: 'ABSOLUTE', config: { direction: 'ABOVE', success: 50, warning: undefined } }
const timeBased: Threshold = {
  type: 'TIME_BASED',
  config: {
    lookBackWindowType: 'RUNS',
    successLookBackWindow: 2,
    warningLookBackWindow: undefined,
  },
}

const number = (value: string): MetricResult => ({ id: 7, kind: 'value', value, scanned: 3 })
const text = (value: string): MetricResult => ({ ...number(value), kind: 'value', value, scanned: 3, isText: true })
const day = number
const judged = (item: ItemRecord, result: MetricResult) =>
  judgeItem({ item, result, runStartedAt: '2026-11-20T10:00:00.000Z', treatZeroRowsAsSuccess: false })

const isNone = /cannot be compared with/

describe('MIN by the type of its result and the type of its operand', () => {
  const table: [string, ItemRecord, MetricResult, 'SUCCESSFUL' | 'ERRORED' | RegExp][] = [
    ['number, number', atLeast(50), number('100'), 'SUCCESSFUL'],
    ['number, numeric text', atLeast('50'), number('5'), 'ERRORED'],
    ['number, date', atLeast('2026-01-01'), number('5'), isNone],
    ['number, text', atLeast('abc'), number('5'), isNone],
    ['number, numbers', between(50, 200), number('100'), 'SUCCESSFUL'],
    ['number, threshold', byThreshold(absolute), number('100'), 'SUCCESSFUL'],
    ['date, date', atLeast('2026-01-01'), day('2026-01-02'), 'SUCCESSFUL'],
    ['date, number', atLeast(50), day('2026-01-02'), isNone],
    ['date, text', atLeast('abc'), day('2026-01-02'), isNone],
    ['text, text', atLeast('abc'), text('abd'), 'SUCCESSFUL'],
    ['text that reads as a number, text', atLeast('abc'), text('100'), 'ERRORED'],
    ['text that reads as a number, number', atLeast(50), text('100'), /^The column 'v' holds text .* the number 50\.$/],
    ['text that reads as a number, numeric text', atLeast('50'), text('100'), isNone],
    ['text that reads as a number, numbers', between(50, 200), text('100'), isNone],
    ['text that reads as a number, threshold', byThreshold(absolute), text('100'), isNone],
    ['text that reads as a number, look-back', byThreshold(timeBased), text('100'), isNone],
    ['text NaN, number', min({ value: { operator: 'NEQ', value: 5 } }), text('NaN'), isNone],
    ['text, number', atLeast(50), text('n/a'), isNone],
    ['text that reads as a date, date', atLeast('2026-01-01'), text('2026-01-02'), 'SUCCESSFUL'],
    ['text, date', atLeast('2026-01-01'), text('n/a'), isNone],
    ['time of day, text', atLeast('09:00:00'), number('10:00:00'), 'SUCCESSFUL'],
  ]
  it.each(table)('%s', (_, item, result, expected) => {
    const { verdict, error } = judged(item, result)
    if (expected instanceof RegExp)
      expect({ verdict, error }).toEqual({ verdict: 'ERRORED', error: expect.stringMatching(expected) })
    else expect({ verdict, error }).toEqual({ verdict: expected, error: null })
  })

  it('when an expression gives text then the error does not name a column', () => {
    const item = itemOf({
      measurementType: 'BUSINESS_MEASURE',
      aggregateType: 'MAX',
      ruleExpression: 'v || w',
      value: { operator: 'LT', value: 5 },
    })
    expect(judged(item, text('4')).error).toBe('The expression gives text and cannot be compared with the number 5.')
  })

  it('when the value of a column may be protected then the error does not repeat it', () => {
    for (const item of [atLeast(50), atLeast('2026-01-01'), byThreshold(absolute)])
      expect(judged(item, text('100 secret')).error).not.toContain('secret')
  })

  it('when text reads as a number then the series gets no number', () => {
    const figures = (item: ItemRecord, result: MetricResult) =>
      figuresOf(item, judged(item, result)).map(({ figure }) => figure)
    expect(figures(atLeast(50), number('100'))).toEqual(['PERCENTAGE', 'NUMBER'])
    expect(figures(atLeast('1 piece'), text('100'))).toEqual(['PERCENTAGE'])
    expect(figures(atLeast(50), text('100'))).toEqual([])
  })
})

describe('MIN of a column whose type is known', () => {
  const problemOf = (item: ItemRecord, dataType: string) => {
    const planned = planItem(item, [{ name: 'v', dataType }])
    return 'problem' in planned ? `${planned.problem.path}: ${planned.problem.message}` : null
  }
  const table: [string, ItemRecord, string, RegExp | null][] = [
    ['number, number', atLeast(5), 'BIGINT', null],
    ['number, text', atLeast('abc'), 'BIGINT', /^value\.value: .*cannot be compared/],
    ['number, threshold', byThreshold(absolute), 'DOUBLE', null],
    ['date, date', atLeast('2026-01-01'), 'DATE', null],
    ['date, number', atLeast(5), 'DATE', /^value\.value: .*cannot be compared/],
    ['text, text', atLeast('abc'), 'VARCHAR', null],
    ['text, date', atLeast('2026-01-01'), 'VARCHAR', null],
    ['text, number', atLeast(5), 'VARCHAR', /^value\.value: the column 'v' holds text \(VARCHAR\)/],
    ['text, numeric text', atLeast('5'), 'VARCHAR', /^value\.value: the column 'v' holds text/],
    ['text, numbers', between(5, 9), 'VARCHAR', /^value\.min: the column 'v' holds text/],
    ['text, threshold', byThreshold(absolute), 'VARCHAR', /^thresholdConfig: .*holds text.*value\.operator$/],
  ]
  it.each(table)('%s', (_, item, dataType, expected) => {
    const problem = problemOf(item, dataType)
    if (expected === null) expect(problem).toBeNull()
    else expect(problem).toMatch(expected)
  })
})
