import type { Metric, MetricResult } from '@assay/data-engine'
import { expect, it } from 'vitest'
import { mergeResults } from './merge-results.ts'

const aggregate = (fn: 'SUM' | 'MIN' | 'MAX' | 'COUNT'): Metric => ({ kind: 'aggregate', id: 1, fn, column: 'c' })
const value = (text: string | null, isText = false): MetricResult => ({
  ...{ id: 1, kind: 'value', value: text, scanned: 2 },
  ...(isText ? { isText: true } : {}),
})

it.each([
  ['SUM', value('-0.05'), value('0.02'), '-0.03'],
  ['SUM', value('99999999999999999999'), value('1'), '100000000000000000000'],
  ['SUM', value(null), value('1.50'), '1.50'],
  ['COUNT', value('2'), value('3'), '5'],
  ['MIN', value('10'), value('9'), '9'],
  ['MAX', value('1e3'), value('999'), '1e3'],
  ['MAX', value('10', true), value('9', true), '9'],
  ['MIN', value('2026-11-01T00:00:00.5Z'), value('2026-11-01T00:00:00Z'), '2026-11-01T00:00:00Z'],
  ['MAX', value(null), value(null), null],
  ['MAX', value('NaN'), value('1'), undefined],
  ['SUM', value('1e300'), value('1'), undefined],
  ['MAX', value('a', true), value('1'), undefined],
] as const)('given %s of two parts, then it is that of the whole, or nothing', (fn, one, other, expected) => {
  const merged = mergeResults([aggregate(fn)], [one], [other])
  expect(merged).toEqual(
    expected === undefined ? undefined : [expect.objectContaining({ value: expected, scanned: 4 })],
  )
})

it('given a part without a result, then there is no result', () => {
  const failed: MetricResult = { id: 1, kind: 'error', message: 'no' }
  expect(mergeResults([aggregate('MAX')], [value('1')], [failed])).toBeUndefined()
  expect(mergeResults([aggregate('MAX')], [value('1')], [])).toBeUndefined()
})
