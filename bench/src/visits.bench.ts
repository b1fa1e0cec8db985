import type { Metric, Predicate } from '@assay/data-engine'
import { detailOf, keepBad, keepNothing, locate, measured, pairs, raw, withEngine } from './engine-pairs.ts'
import { countries, visitsFile } from './policy-data.ts'
import type { BenchRow } from './ratio.ts'

const emailPattern = '[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}'

const list = (values: readonly string[]) => `[${values.map((value) => `'${value}'`).join(', ')}]`
/** The 22 checks as a person would write them. Never change it, because ratios would no longer be comparable. */
const handWritten = (file: string) => `
SELECT
  count(*) AS total,
  count(*) FILTER (WHERE visit_id IS NULL) AS c1,
  (SELECT count(*) FROM (SELECT visit_id FROM '${file}' WHERE visit_id IS NOT NULL GROUP BY visit_id)) AS c2,
  count(*) FILTER (WHERE account_id IS NULL) AS c3,
  (SELECT count(*) FROM (SELECT account_id FROM '${file}' WHERE account_id IS NOT NULL GROUP BY account_id)) AS c4,
  count(*) FILTER (WHERE account_id < 100000 OR account_id > 100000000) AS c5,
  count(*) FILTER (WHERE email IS NULL OR trim(email) = '') AS c6,
  count(*) FILTER (WHERE NOT regexp_full_match(email, '${emailPattern}')) AS c7,
  count(*) FILTER (WHERE length(email) < 6 OR length(email) > 64) AS c8,
  count(*) FILTER (WHERE NOT list_contains(${list(countries)}, country)) AS c9,
  count(*) FILTER (WHERE seen_at IS NULL) AS c10,
  count(*) FILTER (WHERE seen_at < TIMESTAMP '2022-06-02' OR seen_at > TIMESTAMP '2025-05-30') AS c11,
  (SELECT coalesce(sum(n), 0) FROM (SELECT count(*) AS n FROM '${file}' GROUP BY account_id, seen_at) WHERE n > 1) AS c12,
  count(*) FILTER (WHERE seconds < 0 OR seconds > 3600) AS c13,
  count(*) FILTER (WHERE price IS NULL) AS c14,
  count(*) FILTER (WHERE price < 0 OR price > 499) AS c15,
  count(*) FILTER (WHERE reference IS NOT NULL AND NOT (regexp_full_match(reference, '[+-]?[0-9]+') AND TRY_CAST(reference AS INTEGER) IS NOT NULL)) AS c16,
  count(*) FILTER (WHERE length(reference) > 12) AS c17,
  count(*) FILTER (WHERE referrer IS NULL) AS c18,
  count(*) FILTER (WHERE length(referrer) > 39) AS c19,
  count(*) FILTER (WHERE list_contains(['bot'], device)) AS c20,
  avg(seconds) AS c21,
  max(seen_at) AS c22
FROM '${file}'`

const rowsThat = (id: number, predicate: Predicate): Metric => ({ kind: 'rows', id, predicate })
const missing = (id: number, column: string, blankToo = false) => rowsThat(id, { kind: 'missing', column, blankToo })
const between = (id: number, column: string, kind: 'number' | 'time', min: string, max: string) =>
  rowsThat(id, { kind: 'range', column, min: { kind, text: min }, max: { kind, text: max }, inclusive: true })

/** The same checks for the engine. */
const checks: Metric[] = [
  missing(1, 'visit_id'),
  { kind: 'distinct', id: 2, column: 'visit_id' },
  missing(3, 'account_id'),
  { kind: 'distinct', id: 4, column: 'account_id' },
  between(5, 'account_id', 'number', '100000', '100000000'),
  missing(6, 'email', true),
  rowsThat(7, { kind: 'regex', column: 'email', pattern: emailPattern, partial: false }),
  rowsThat(8, { kind: 'text-length', column: 'email', min: 6, max: 64 }),
  rowsThat(9, { kind: 'in-list', column: 'country', values: [...countries], negate: false }),
  missing(10, 'seen_at'),
  between(11, 'seen_at', 'time', '2022-06-02T00:00:00Z', '2025-05-30T00:00:00Z'),
  rowsThat(12, { kind: 'duplicate', columns: ['account_id', 'seen_at'] }),
  between(13, 'seconds', 'number', '0', '3600'),
  missing(14, 'price'),
  between(15, 'price', 'number', '0', '499'),
  rowsThat(16, { kind: 'datatype', column: 'reference', dataType: 'INTEGER' }),
  rowsThat(17, { kind: 'text-length', column: 'reference', max: 12 }),
  missing(18, 'referrer'),
  rowsThat(19, { kind: 'text-length', column: 'referrer', max: 39 }),
  rowsThat(20, { kind: 'in-list', column: 'device', values: ['bot'], negate: true }),
  { kind: 'aggregate', id: 21, fn: 'AVG', column: 'seconds' },
  { kind: 'newest', id: 22, column: 'seen_at' },
]

/** P2 and P2c on a second data set with mostly bad rows. `BENCH_VISITS`: the number of rows. */
export async function benchVisits(pairCount = 5): Promise<BenchRow[]> {
  const file = await visitsFile(Number(process.env.BENCH_VISITS ?? 10_000_000))
  return withEngine(async (setup) => {
    const dataset = await locate(setup.engine, file)
    const rawRun = () => raw([handWritten(file)])
    const p2 = await pairs(pairCount, () => measured(setup, dataset, checks, keepNothing), rawRun, true)
    const p2c = await pairs(pairCount, () => measured(setup, dataset, checks, keepBad), rawRun, true)
    return [
      { name: 'P2 22 checks, second set', ratio: p2.ratio, target: '<= 0.8, aim 0.7', detail: detailOf(p2) },
      {
        name: 'P2c most rows bad, all stored',
        ratio: p2c.ratio,
        target: '<= 2.0, aim 1.8; <= 800 MB',
        detail: detailOf(p2c),
      },
    ]
  })
}

if (import.meta.main)
  for (const { name, ratio, target, detail } of await benchVisits(Number(process.env.BENCH_PAIRS ?? 5)))
    console.log(`${name}: ${ratio.toFixed(2)} (${target}) ${detail}`)
