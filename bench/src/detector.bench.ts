import { detect, type Reading } from '@assay/reliability'
import { flatKind, type SeriesKind, seriesKinds, shiftedKind, weeklyKind } from './detection/generated.ts'
import { type Judge, peers } from './detection/peers.ts'
import { randomFrom } from './detection/random.ts'
import {
  afterShift,
  assay,
  double,
  drop30,
  drop50,
  falseAlarms,
  found,
  foundAfterFaults,
  precision,
  triple,
} from './detection/truth.ts'
import type { BenchRow } from './ratio.ts'
import { whatIfRows } from './what-if.ts'

/** Constants were chosen with seeds up to 100; these are for the figures that are published. */
const seed = 20_261_123
const series = Number(process.env.BENCH_DETECTOR_SERIES ?? 200)
const percent = (share: number, digits = 1) => (Number.isNaN(share) ? '-' : `${(100 * share).toFixed(digits)} %`)
const setupOf = (kind: SeriesKind) =>
  kind.perDay === 1 ? { kind, seed, series, days: 120 } : { kind, seed, series: Math.ceil(series / 25), days: 34 }

/** Measures false alarms and found faults of generated series, in tables for docs/detection.md, and the speed. */
export async function benchDetector(): Promise<BenchRow[]> {
  const medium = assay('MEDIUM')
  const rates = seriesKinds.map((kind) => ({
    kind,
    low: falseAlarms(setupOf(kind), assay('LOW')),
    medium: falseAlarms(setupOf(kind), medium),
    high: falseAlarms(setupOf(kind), assay('HIGH')),
    early: falseAlarms(setupOf(kind), medium, 7, 30 * kind.perDay),
  }))
  table(
    ['series', 'LOW', 'MEDIUM', 'HIGH', 'MEDIUM, first 30 days'],
    rates.map(({ kind, low, medium, high, early }) => [
      kind.name,
      ...[low, medium, high, early].map((one) => percent(one, 3)),
    ]),
  )
  const hits = seriesKinds
    .filter(({ figure }) => figure === 'NUMBER')
    .map((kind) => ({ kind, shares: [drop30, drop50, double].map((fault) => found(setupOf(kind), medium, fault)) }))
  table(
    ['series', '-30 %', '-50 %', 'x2'],
    hits.map(({ kind, shares }) => [kind.name, ...shares.map((share) => percent(share))]),
  )
  table(
    [
      'detector',
      'false alarms, flat',
      'weekly',
      '-30 %, weekly',
      '-50 %',
      'x2',
      'precision',
      'recall',
      'delay in days',
    ],
    Object.entries<Judge>({ 'Assay, MEDIUM': medium, ...peers }).map(([name, judge]) => comparedRow(name, judge)),
  )
  const shift = afterShift(setupOf(shiftedKind), 'MEDIUM')
  process.stdout.write(
    `A lasting shift: found immediately ${percent(shift.atOnce)}, ${shift.alarms.toFixed(1)} alarms a series, ` +
      `new normal proposed by ${percent(shift.proposed)} on day ${shift.day.toFixed(1)}.\n\n`,
  )
  const afterFaults = [drop50, double, triple].map((fault) => foundAfterFaults(setupOf(flatKind), medium, fault))
  process.stdout.write(
    `After two faults among ten values: -50 %, x2, x3 found ${afterFaults.map((share) => percent(share)).join(', ')}.\n\n`,
  )
  const worst = Math.max(...rates.map(({ medium }) => medium))
  const worstEarly = Math.max(...rates.map(({ early }) => early))
  const [least30 = 0, least50 = 0, doubled = 0] = hits.find(({ kind }) => kind === weeklyKind)?.shares ?? []
  const rate = pointsPerSecond()
  return [
    row('detector: most false alarms a series-day, of 0.1 %', worst / 0.001, '<= 1', percent(worst, 3)),
    row('detector: the same in the first 30 days', worstEarly / 0.001, '<= 1', percent(worstEarly, 3)),
    row('detector: drops by 30 % found immediately, weekly, of 95 %', least30 / 0.95, '>= 1', percent(least30)),
    row('detector: drops by 50 %, of 99 %', least50 / 0.99, '>= 1', percent(least50)),
    row('detector: doublings, of all', doubled, '>= 1', percent(doubled)),
    row('detector: points a second of one core, of 1,000,000', rate / 1e6, '>= 1', `${Math.round(rate)} points/s`),
    ...whatIfRows(seed),
  ]
}

const row = (name: string, ratio: number, target: string, detail: string): BenchRow => ({ name, ratio, target, detail })

function comparedRow(name: string, judge: Judge): string[] {
  const weekly = setupOf(weeklyKind)
  const shares = [drop30, drop50, double].map((fault) => found(weekly, judge, fault))
  const { precision: right, recall, delay } = precision(weekly, judge, drop50)
  const alarms = [setupOf(flatKind), weekly].map((setup) => percent(falseAlarms(setup, judge, 60), 2))
  return [
    name,
    ...alarms,
    ...[...shares, right, recall].map((one) => percent(one)),
    Number.isNaN(delay) ? '-' : delay.toFixed(2),
  ]
}

/** Values judged per second of this process's CPU time, each with a history of 90 values. */
function pointsPerSecond(): number {
  const random = randomFrom(seed)
  const length = 90
  const all = Array.from({ length: 2_000 }, () => weeklyKind.make(random, length + 1).readings)
  const split = all.flatMap((readings): [Reading[], Reading][] => {
    const tested = readings.pop()
    return tested === undefined ? [] : [[readings, tested]]
  })
  const round = () => {
    for (const [history, tested] of split) detect(history, tested, 'NUMBER')
  }
  round()
  const rounds = 50
  const start = process.cpuUsage()
  for (let index = 0; index < rounds; index += 1) round()
  const { user, system } = process.cpuUsage(start)
  return (rounds * split.length * length) / ((user + system) / 1e6)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  process.stdout.write(`${line(head)}${line(head.map(() => '---'))}${rows.map(line).join('')}\n`)
}
