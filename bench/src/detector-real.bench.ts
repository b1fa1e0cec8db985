import { type JudgedReading, judgeReading, type Reading } from '@assay/reliability'
import { type RealSeries, realSeries } from './detection/real-series.ts'
import type { BenchRow } from './ratio.ts'

/** The values that a threshold looks back at: of fourteen weeks, at most 700. */
function before(readings: readonly Reading[], index: number): Reading[] {
  const until = readings[index]?.at ?? 0
  return readings.slice(Math.max(0, index - 700), index).filter(({ at }) => at >= until - 98 * 86_400_000)
}

interface Judged {
  series: RealSeries
  judged: number
  fired: (Reading & Pick<JudgedReading, 'usual'>)[]
}

function judged(series: RealSeries): Judged {
  const { readings, figure } = series
  const answer: Judged = { series, judged: 0, fired: [] }
  for (const [index, tested] of readings.entries()) {
    const one = judgeReading(tested, { readings: before(readings, index), figure }, { error: 'MEDIUM' })
    if (one === undefined) continue
    answer.judged += 1
    if (one.verdict === 'ERRORED') answer.fired.push({ ...tested, usual: one.usual })
  }
  return answer
}

/** The values that fire at MEDIUM in series of public data, each with its reason, for docs/detection.md. */
export async function benchDetectorReal(): Promise<BenchRow[]> {
  const all = (await realSeries()).map(judged)
  const print = (text: string) => process.stdout.write(`${text}\n`)
  for (const { series, judged, fired } of all) {
    print(`\n${series.name}: ${fired.length} of ${judged} values fire`)
    for (const { at, value, usual } of fired) print(`  ${new Date(at).toISOString().slice(0, 16)}  ${value}  ${usual}`)
  }
  const sum = (of: (one: Judged) => number) => all.reduce((total, one) => total + of(one), 0)
  const [fired, values] = [sum(({ fired }) => fired.length), sum(({ judged }) => judged)]
  return [
    {
      name: 'detector-real: share of values of public data that fire',
      ratio: fired / values,
      target: 'looked at',
      detail: `${fired} of ${values} values of ${all.length} series`,
    },
  ]
}
