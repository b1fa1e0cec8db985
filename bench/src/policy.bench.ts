import { stat } from 'node:fs/promises'
import type { Metric, Predicate } from '@assay/data-engine'
import { detailOf, keepBad, keepBoth, keepNothing, locate, measured, pairs, raw, withEngine } from './engine-pairs.ts'
import { countries, emailPattern, ordersFile, statuses } from './policy-data.ts'
import type { BenchRow } from './ratio.ts'

/**
 * The 20 checks as a person would write them: one SELECT of FILTER aggregates, and a GROUP BY subquery for each exact
 * distinct count. Written before the planner was tuned; never change it, because ratios would no longer be comparable.
 */
const list = (values: readonly string[]) => `[${values.map((value) => `'${value}'`).join(', ')}]`
export const handWritten = (file: string) => `
SELECT
  count(*) AS total,
  count(*) FILTER (WHERE order_id IS NULL) AS c1,
  (SELECT count(*) FROM (SELECT order_id FROM '${file}' WHERE order_id IS NOT NULL GROUP BY order_id)) AS c2,
  count(*) FILTER (WHERE customer_id IS NULL) AS c3,
  (SELECT count(*) FROM (SELECT customer_id FROM '${file}' WHERE customer_id IS NOT NULL GROUP BY customer_id)) AS c4,
  count(*) FILTER (WHERE email IS NULL OR trim(email) = '') AS c5,
  count(*) FILTER (WHERE NOT regexp_full_match(email, '${emailPattern}')) AS c6,
  count(*) FILTER (WHERE length(email) < 5 OR length(email) > 60) AS c7,
  count(*) FILTER (WHERE NOT list_contains(${list(countries)}, country)) AS c8,
  count(*) FILTER (WHERE amount IS NULL) AS c9,
  count(*) FILTER (WHERE amount < 0 OR amount > 10000) AS c10,
  count(*) FILTER (WHERE abs(amount) >= 100000000 OR amount <> round(amount, 2)) AS c11,
  count(*) FILTER (WHERE quantity < 1 OR quantity > 100) AS c12,
  count(*) FILTER (WHERE created_at < TIMESTAMP '2021-01-01' OR created_at > TIMESTAMP '2025-12-30') AS c13,
  count(*) FILTER (WHERE NOT list_contains(${list(statuses)}, status)) AS c14,
  count(*) FILTER (WHERE code IS NOT NULL AND NOT (regexp_full_match(code, '[+-]?[0-9]+') AND TRY_CAST(code AS INTEGER) IS NOT NULL)) AS c15,
  count(*) FILTER (WHERE length(note) > 38) AS c16,
  (SELECT coalesce(sum(n), 0) FROM (SELECT count(*) AS n FROM '${file}' GROUP BY customer_id, created_at) WHERE n > 1) AS c17,
  count(*) FILTER (WHERE NOT coalesce(amount * quantity < 900000, false)) AS c18,
  sum(amount) AS c19,
  max(created_at) AS c20
FROM '${file}'`

const onColumn = (id: number, predicate: Predicate): Metric => ({ kind: 'rows', id, predicate })

/** The same checks for the engine. */
const checks: Metric[] = [
  onColumn(1, { kind: 'missing', column: 'order_id', blankToo: false }),
  { kind: 'distinct', id: 2, column: 'order_id' },
  onColumn(3, { kind: 'missing', column: 'customer_id', blankToo: false }),
  { kind: 'distinct', id: 4, column: 'customer_id' },
  onColumn(5, { kind: 'missing', column: 'email', blankToo: true }),
  onColumn(6, { kind: 'regex', column: 'email', pattern: emailPattern, partial: false }),
  onColumn(7, { kind: 'text-length', column: 'email', min: 5, max: 60 }),
  onColumn(8, { kind: 'in-list', column: 'country', values: [...countries], negate: false }),
  onColumn(9, { kind: 'missing', column: 'amount', blankToo: false }),
  onColumn(10, {
    kind: 'range',
    column: 'amount',
    min: { kind: 'number', text: '0' },
    max: { kind: 'number', text: '10000' },
    inclusive: true,
  }),
  onColumn(11, { kind: 'precision-scale', column: 'amount', precision: 10, scale: 2 }),
  onColumn(12, {
    kind: 'range',
    column: 'quantity',
    min: { kind: 'number', text: '1' },
    max: { kind: 'number', text: '100' },
    inclusive: true,
  }),
  onColumn(13, {
    kind: 'range',
    column: 'created_at',
    min: { kind: 'time', text: '2021-01-01T00:00:00Z' },
    max: { kind: 'time', text: '2025-12-30T00:00:00Z' },
    inclusive: true,
  }),
  onColumn(14, { kind: 'in-list', column: 'status', values: [...statuses], negate: false }),
  onColumn(15, { kind: 'datatype', column: 'code', dataType: 'INTEGER' }),
  onColumn(16, { kind: 'text-length', column: 'note', max: 38 }),
  onColumn(17, { kind: 'duplicate', columns: ['customer_id', 'created_at'] }),
  onColumn(18, { kind: 'expression', expression: { sql: 'amount * quantity < 900000', variables: {} } }),
  { kind: 'aggregate', id: 19, fn: 'SUM', column: 'amount' },
  { kind: 'newest', id: 20, column: 'created_at' },
]

/** Five checks on each of three columns, each also as a separate query. */
const fused: { metric: Metric; sql: string }[] = [
  ...[10, 50, 90, 95, 99].map((max, index) => ({
    metric: onColumn(100 + index, {
      kind: 'range',
      column: 'quantity',
      min: { kind: 'number', text: '1' },
      max: { kind: 'number', text: String(max) },
      inclusive: true,
    }),
    sql: `quantity < 1 OR quantity > ${max}`,
  })),
  ...[100, 1000, 5000, 9000, 10000].map((max, index) => ({
    metric: onColumn(200 + index, {
      kind: 'range',
      column: 'amount',
      min: { kind: 'number', text: '0' },
      max: { kind: 'number', text: String(max) },
      inclusive: true,
    }),
    sql: `amount < 0 OR amount > ${max}`,
  })),
  ...[10, 20, 30, 35, 40].map((max, index) => ({
    metric: onColumn(300 + index, { kind: 'text-length', column: 'note', max }),
    sql: `length(note) > ${max}`,
  })),
]

const footerColumns = [
  'order_id',
  'customer_id',
  'email',
  'country',
  'amount',
  'quantity',
  'created_at',
  'status',
  'code',
  'note',
]
const bounded = ['order_id', 'customer_id', 'quantity', 'created_at']
const fromFooters: { metric: Metric; sql: string }[] = [
  { metric: { kind: 'aggregate', id: 1, fn: 'COUNT', column: null }, sql: 'count(*)' },
  ...footerColumns.map((column, index) => ({
    metric: onColumn(10 + index, { kind: 'missing', column, blankToo: false }),
    sql: `count(*) FILTER (WHERE ${column} IS NULL)`,
  })),
  ...bounded.flatMap((column, index): { metric: Metric; sql: string }[] => [
    { metric: { kind: 'aggregate', id: 30 + index, fn: 'MIN', column }, sql: `min(${column})` },
    { metric: { kind: 'aggregate', id: 40 + index, fn: 'MAX', column }, sql: `max(${column})` },
  ]),
]

/** P2, P2c, P2b, P3 and P4, each as a ratio to bare DuckDB in the same run. Takes some minutes. */
export async function benchPolicy(pairCount = 5): Promise<BenchRow[]> {
  const [large, small] = [await ordersFile(10_000_000), await ordersFile(10_000)]
  return withEngine(async (setup) => {
    const [dataset, little] = [await locate(setup.engine, large), await locate(setup.engine, small)]
    const rawLarge = () => raw([handWritten(large)])
    const p2 = await pairs(pairCount, () => measured(setup, dataset, checks, keepNothing), rawLarge, true)
    const p2c = await pairs(pairCount, () => measured(setup, dataset, checks, keepBad), rawLarge, true)
    const both = await pairs(pairCount, () => measured(setup, dataset, checks, keepBoth), rawLarge, true)
    const p2b = await pairs(
      pairCount * 3,
      () => measured(setup, little, checks, keepNothing),
      () => raw([handWritten(small)]),
      true,
    )
    const separate = () => raw(fused.map(({ sql }) => `SELECT count(*) FILTER (WHERE ${sql}) FROM '${large}'`))
    const p3 = await pairs(
      pairCount,
      () =>
        measured(
          setup,
          dataset,
          fused.map(({ metric }) => metric),
          keepNothing,
        ),
      separate,
      false,
    )
    const scan = () => raw([`SELECT ${fromFooters.map(({ sql }) => sql).join(', ')} FROM '${large}'`])
    const p4 = await pairs(
      pairCount,
      () =>
        measured(
          setup,
          dataset,
          fromFooters.map(({ metric }) => metric),
          keepNothing,
        ),
      scan,
      false,
    )
    const megabytes = ((await stat(large)).size / 1_048_576).toFixed(0)
    return [
      {
        name: 'P2 20 checks, 10M rows',
        ratio: p2.ratio,
        target: '<= 1.0, aim 0.8; <= 600 MB',
        detail: `${detailOf(p2)}, ${megabytes} MB of Parquet`,
      },
      { name: 'P2c and all bad rows stored', ratio: p2c.ratio, target: '<= 1.8, aim 1.4', detail: detailOf(p2c) },
      { name: 'P2c and good rows too', ratio: both.ratio, target: '<= 3.5', detail: detailOf(both) },
      {
        name: 'P2b 10k rows, added ms',
        ratio: p2b.engineMs - p2b.rawMs,
        target: '<= 60, aim 25',
        detail: detailOf(p2b),
      },
      { name: 'P3 separate / fused', ratio: 1 / p3.ratio, target: '>= 1.6', detail: detailOf(p3) },
      { name: 'P4 scan / footers', ratio: 1 / p4.ratio, target: '>= 20', detail: detailOf(p4) },
    ]
  })
}

if (import.meta.main)
  for (const { name, ratio, target, detail } of await benchPolicy())
    console.log(`${name}: ${ratio.toFixed(2)} (${target}) ${detail}`)
