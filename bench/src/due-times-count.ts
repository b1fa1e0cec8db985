import type { PolicySchedule } from './due-times.ts'

/** The outcomes of due times. */
export interface DueTimesCount {
  dueTimes: number
  runs: number
  /** Recorded skips, because the run before was open. */
  skips: number
  /** Missed in a downtime that one later run made up for. */
  madeUp: number
  /** Due times with neither a run nor a skip, or with a skip without a reason. */
  lost: number
  /** Due times with several runs, or with a run and a skip. */
  doubled: number
  /** Runs that have not ended. */
  open: number
  /** Runs that did not succeed. */
  failed: number
  /** Runs that a second worker took over. */
  takenOver: number
  abandoned: number
  /** The lateness of the latest start. Milliseconds. */
  latestMs: number
  /** A sentence for each due time that is lost or doubled. */
  problems: readonly string[]
}

/** Counts the outcomes of `times` (epoch milliseconds), the due times of a policy. Pure. */
export function countDueTimes(times: readonly number[], schedule: PolicySchedule): DueTimesCount {
  const { taken, runs, unexpected, abandoned } = schedule
  const nameOf = (time: number) => new Date(time).toISOString()
  const problems = unexpected.map((time) => `${nameOf(time)} was taken while another time was due`)
  const count = {
    ...{ dueTimes: times.length, runs: 0, skips: 0, madeUp: 0, lost: 0, doubled: unexpected.length },
    ...{ open: 0, failed: 0, takenOver: 0, abandoned, latestMs: 0, problems },
  }
  for (const time of times) {
    const started = runs.get(time) ?? []
    const skips = taken.filter(({ nominal, skip }) => nominal === time && skip !== null)
    count.runs += started.length
    count.skips += skips.length
    const isMadeUp = taken.some(({ due, nominal, skip }) => due <= time && time < nominal && skip !== 'other')
    const isMissed = started.length + skips.length === 0
    const isLost = (isMissed && !isMadeUp) || skips.some(({ skip }) => skip === 'other')
    const isDoubled = started.length + skips.length > 1
    if (isMissed && isMadeUp) count.madeUp += 1
    if (isLost) count.lost += 1
    if (isDoubled) count.doubled += 1
    if (isLost || isDoubled) problems.push(`${nameOf(time)} has ${started.length} runs and ${skips.length} skips`)
    for (const run of started) {
      if (!run.isEnded) count.open += 1
      else if (!run.isSuccessful) count.failed += 1
      if (run.claims > 1) count.takenOver += 1
      count.latestMs = Math.max(count.latestMs, run.lateMs)
    }
  }
  return count
}

/** The sum of the counts, and the greatest lateness. */
export function totalOf(counts: readonly DueTimesCount[]): DueTimesCount {
  const sum = (name: Exclude<keyof DueTimesCount, 'problems'>) =>
    counts.reduce((total, count) => total + count[name], 0)
  return {
    ...{ dueTimes: sum('dueTimes'), runs: sum('runs'), skips: sum('skips'), madeUp: sum('madeUp') },
    ...{ lost: sum('lost'), doubled: sum('doubled'), open: sum('open'), failed: sum('failed') },
    ...{ takenOver: sum('takenOver'), abandoned: sum('abandoned') },
    latestMs: Math.max(0, ...counts.map(({ latestMs }) => latestMs)),
    problems: counts.flatMap(({ problems }) => problems),
  }
}
