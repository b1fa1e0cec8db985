import { rankOf, registerBits, registerOf } from '@assay/data-engine'
import { figuresOf } from '@assay/reliability'
import { z } from 'zod'
import { raw } from './engine-pairs.ts'
import { ordersFile } from './policy-data.ts'
import { type BenchRow, median, quantile } from './ratio.ts'

const rows = Number(process.env.BENCH_PROFILE_ROWS ?? 10_000_000)

const registersSql = (value: string, from: string, more = '') =>
  `SELECT hash(${value}) >> ${64 - registerBits} AS r, min(hash(${value})) AS least${more} FROM ${from} WHERE ${value} IS NOT NULL GROUP BY ALL`

/** Estimates the number of different values from the least hash of each register. */
function estimated(leastHashes: readonly string[]): number {
  const registers = Buffer.alloc(2 ** registerBits)
  for (const least of leastHashes) registers[registerOf(BigInt(least))] = rankOf(BigInt(least))
  const values = {
    kind: 'many' as const,
    registers: registers.toString('base64'),
    shares: [],
    spread: null,
    exact: null,
  }
  const known = { count: 1, notFinite: null, least: null, greatest: null, text: null, number: null, values }
  return figuresOf({ name: '', dataType: 'VARCHAR', hashedBy: '', nulls: 0, error: null, known }).distinct ?? 0
}

const seeds = 200
const different = 100_000

/** The errors of the sketch for 200 sets of different values, ascending. */
async function sketchErrors(): Promise<number[]> {
  const values = `(SELECT i * ${seeds} + s AS v, s FROM range(${different}) AS a(i), range(${seeds}) AS b(s))`
  const sketches = `SELECT s, list(CAST(least AS VARCHAR)) AS all_least FROM (${registersSql('v', values, ', s')}) GROUP BY s`
  const { answers } = await raw([`SELECT list(all_least) FROM (${sketches})`])
  const [all] = z.tuple([z.array(z.array(z.string()))]).parse(answers[0])
  return all.map((leasts) => Math.abs(estimated(leasts) / different - 1)).sort((one, other) => one - other)
}

/** Counts distinct values by mergeable registers, against exact counts, for all columns with many distinct values. */
export async function benchSketch(): Promise<BenchRow[]> {
  const orders = await ordersFile(rows)
  const names = ['order_id', 'customer_id', 'email', 'amount', 'created_at', 'code', 'note']
  const from = `'${orders}'`
  const exactly = names.map(
    (name) => `SELECT count(*) FROM (SELECT ${name} FROM ${from} WHERE ${name} IS NOT NULL GROUP BY ${name})`,
  )
  const sketched = names.map((name) => `SELECT count(*) FROM (${registersSql(name, from)})`)
  const runs: { ratio: number; cpu: number }[] = []
  for (let pair = 0; pair < 3; pair += 1) {
    const [ours, theirs] = [await raw(sketched), await raw(exactly)]
    runs.push({ ratio: ours.ms / theirs.ms, cpu: ours.cpuMs / theirs.cpuMs })
  }
  const errors = await sketchErrors()
  const percent = (share: number) => `${(100 * quantile(errors, share)).toFixed(2)} %`
  const detail = `CPU ${median(runs.map(({ cpu }) => cpu)).toFixed(2)}; error ${percent(0.5)}, of 99 % of ${seeds} sets at most ${percent(0.985)}`
  return [
    {
      name: `distinct sketch of ${rows} rows`,
      ratio: median(runs.map(({ ratio }) => ratio)),
      target: '<= 0.7',
      detail,
    },
  ]
}
