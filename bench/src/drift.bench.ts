import type { DriftMeasure } from '@assay/contracts'
import { detect, expectedFalseAlarms, type Sensitivity } from '@assay/reliability'
import { randomFrom } from './detection/random.ts'
import { categories, driftOf, numbers, type Population, sampleOf } from './detection/samples.ts'
import type { BenchRow } from './ratio.ts'

const seed = 20_261_129
const pairs = 1000
const dayMs = 86_400_000
const defaultLimit = 10
/** `expectedFalseAlarmsPerMonth` of one learned threshold at MEDIUM with a run a day. */
const stated = expectedFalseAlarms('MEDIUM') / 30
const populations = [numbers, categories]
const shifts: Readonly<Record<string, readonly number[]>> = {
  numbers: [0.05, 0.1, 0.2, 0.5, 1],
  categories: [0.01, 0.02, 0.05, 0.1, 0.2],
}

/** Measures false alarms and found shifts of every measure of drift, in tables for docs/detection.md. */
export async function benchDrift(): Promise<BenchRow[]> {
  for (const population of populations) {
    table(
      [`${population.name}: rows`, ...population.measures],
      [1000, 3000, 10_000].map((rows) => [String(rows), ...unchanged(population, rows)]),
    )
    table(
      [`${population.name}: shift`, ...population.measures],
      (shifts[population.name] ?? []).map((shift) => [String(shift), ...shifted(population, shift)]),
    )
  }
  const runs = populations.flatMap((population) => population.measures.map((measure) => learned(population, measure)))
  table(
    ['measure', 'LOW', 'MEDIUM', 'HIGH', ...[0, 1, 2, 3, 4].map((at) => `shift ${at + 1}`)],
    runs.map(({ name, alarms, found }) => [
      name,
      ...alarms.map((one) => percent(one, 3)),
      ...found.map((one) => percent(one)),
    ]),
  )
  const mean = runs.reduce((sum, { alarms: [, medium = 0] }) => sum + medium, 0) / runs.length
  return [
    {
      ...{ name: 'drift: false alarms a run with a learned threshold, of the stated rate', target: '<= 1' },
      ...{ ratio: mean / stated, detail: percent(mean, 3) },
    },
  ]
}

/** The share of pairs above the default threshold, and the 99th percentile of their drift. */
function unchanged(population: Population, rows: number): string[] {
  const random = randomFrom(seed + rows)
  const drawn = Array.from({ length: pairs }, () => [0, 1].map(() => sampleOf(population, random, rows)))
  return population.measures.map((measure) => {
    const drifts = drawn.flatMap(([one, other]) => (one && other ? [driftOf(measure, one, other)] : []))
    const high = drifts.toSorted((a, b) => a - b)[Math.floor(0.99 * drifts.length)] ?? Number.NaN
    const above = drifts.filter((drift) => drift > defaultLimit).length / drifts.length
    return `${percent(above)} (${high.toFixed(1)})`
  })
}

/** The median drift of a shift of this size. */
function shifted(population: Population, shift: number): string[] {
  const random = randomFrom(seed + 1)
  const drawn = Array.from({ length: 100 }, () => [0, shift].map((by) => sampleOf(population, random, 3000, by)))
  return population.measures.map((measure) => {
    const drifts = drawn.flatMap(([one, other]) => (one && other ? [driftOf(measure, one, other)] : []))
    return (drifts.toSorted((a, b) => a - b)[50] ?? Number.NaN).toFixed(1)
  })
}

/** Series of runs, each compared with the one before it, whose thresholds are learned. */
function learned(population: Population, measure: DriftMeasure) {
  const random = randomFrom(seed + 2)
  const [series, length, first] = [200, 40, 10]
  const levels: readonly Sensitivity[] = ['LOW', 'MEDIUM', 'HIGH']
  const sizes = shifts[population.name] ?? []
  const [alarms, found] = [levels.map(() => 0), sizes.map(() => 0)]
  for (let one = 0; one < series; one += 1) {
    const samples = Array.from({ length: length + 1 }, () => sampleOf(population, random, 3000))
    const drifts = samples.slice(1).map((sample, at) => driftOf(measure, samples[at] ?? sample, sample))
    const fires = (drift: number, at: number, level: Sensitivity) => {
      const readings = drifts.slice(0, at).map((value, day) => ({ at: day * dayMs, value }))
      const detection = detect(readings, { at: at * dayMs, value: drift }, 'DISTANCE')
      return drift > Math.max(1, detection?.band(level).upper ?? defaultLimit)
    }
    for (let at = first; at < length; at += 1)
      levels.forEach((level, index) => {
        alarms[index] = (alarms[index] ?? 0) + Number(fires(drifts[at] ?? 0, at, level))
      })
    const last = samples.at(-1)
    sizes.forEach((size, index) => {
      const drift = last === undefined ? 0 : driftOf(measure, last, sampleOf(population, random, 3000, size))
      found[index] = (found[index] ?? 0) + Number(fires(drift, length, 'MEDIUM'))
    })
  }
  return {
    name: `${measure}, ${population.name}`,
    alarms: alarms.map((count) => count / (series * (length - first))),
    found: found.map((count) => count / series),
  }
}

const percent = (share: number, digits = 1) => `${(100 * share).toFixed(digits)} %`

function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  process.stdout.write(`${line(head)}${line(head.map(() => '---'))}${rows.map(line).join('')}\n`)
}
