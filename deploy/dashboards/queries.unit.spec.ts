import { expect, test } from 'vitest'
import { missingFrom, queries, selectorsOf } from './queries.ts'

const page = 'a_total{state="x",le="1"} 1\nb 2'

test.each([
  ['sum by (state) (rate(a_total[5m]))', []],
  ['a_total{state="x"} > 0', []],
  ['a_total{state=~"y.*", instance="z"} + b', []],
  ['a_total{state="y"}', ['a_total{state}']],
  ['max by (group) (b)', ['b{group}']],
  ['c', ['c{}']],
])('given the query %s, then missing series are found', (text, missing) => {
  const sentences = missing.map((asked) => `q selects ${asked}, which no process reports.`)
  expect(missingFrom([page], [{ of: 'q', text }])).toEqual(sentences)
})

test('given a query that is not PromQL, then it is refused', () =>
  expect(() => selectorsOf({ of: 'q', text: 'sum(a_total' })).toThrow('not PromQL'))

test('given the queries of dashboard and alerts, then all are PromQL', () => {
  expect(queries().length).toBeGreaterThan(40)
  for (const query of queries()) expect(selectorsOf(query).length).toBeGreaterThan(0)
})
