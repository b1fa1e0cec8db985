/** A repeated time. `spread` and `slack`: minutes. */
export interface Pattern {
  kind: 'MINUTES' | 'HOURS' | 'DAILY' | 'WEEKDAYS' | 'WEEKLY' | 'MONTHLY'
  cron: string
  text: string
  explainedShare: number
  /** The robust deviation of arrivals from their expected time. */
  spread: number
  /** Arrivals up to so long before an expected time belong to it. */
  slack: number
}

const dayMinutes = 24 * 60
/** Cycles that divide an hour or a day. */
const cycles = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720]
const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** The time of a cycle that values gather about (circular mean), and their distances from it. */
function phaseOf(values: readonly number[], cycle: number): { phase: number; distances: number[] } {
  const angle = (value: number) => (2 * Math.PI * value) / cycle
  const sum = (of: (radians: number) => number) => values.reduce((total, value) => total + of(angle(value)), 0)
  const phase = Math.round((Math.atan2(sum(Math.sin), sum(Math.cos)) / (2 * Math.PI)) * cycle)
  const distances = values.map((value) => {
    const after = (((value - phase) % cycle) + cycle) % cycle
    return Math.min(after, cycle - after)
  })
  return { phase: ((phase % cycle) + cycle) % cycle, distances }
}

/** The robust standard deviation of distances. */
function spreadOf(distances: readonly number[]): number {
  const sorted = distances.toSorted((a, b) => a - b)
  return 1.4826 * (sorted[sorted.length >> 1] ?? 0)
}

const shareWithin = (distances: readonly number[], limit: number) =>
  distances.filter((distance) => distance <= limit).length / distances.length

/** Arrivals several times a day, by local minutes since 1970. */
export function shortPattern(minutes: readonly number[], usualGap: number): Pattern | undefined {
  const farFrom = (cycle: number) => Math.abs(Math.log(cycle / usualGap))
  const cycle = cycles.reduce((best, one) => (farFrom(one) < farFrom(best) ? one : best))
  const { phase, distances } = phaseOf(minutes, cycle)
  const expected = ((minutes.at(-1) ?? 0) - (minutes[0] ?? 0)) / cycle + 1
  const explainedShare = Math.min(shareWithin(distances, cycle / 5), minutes.length / expected)
  const minute = phase % 60
  const common = { explainedShare, spread: spreadOf(distances), slack: cycle * 0.4 }
  if (cycle < 60) {
    const text = cycle === 1 ? 'every minute' : `every ${cycle} minutes`
    return { kind: 'MINUTES', cron: `${minute}-59/${cycle} * * * *`, text, ...common }
  }
  const hours = cycle / 60
  const text = hours === 1 ? `hourly at minute ${minute}` : `every ${hours} hours at minute ${minute}`
  return { kind: 'HOURS', cron: `${minute} ${Math.floor(phase / 60)}-23/${hours} * * *`, text, ...common }
}

/** Arrivals at most once a day: on weekdays that have one in at least half of the weeks, or on a day of the month. */
export function dailyPattern(minutes: readonly number[]): Pattern | undefined {
  const { phase, distances } = phaseOf(minutes, dayMinutes)
  const days = minutes.map((minute) => Math.round((minute - phase) / dayMinutes))
  const [first, last] = [days[0] ?? 0, days.at(-1) ?? 0]
  const isOnTime = shareWithin(distances, dayMinutes / 8)
  const common = { spread: spreadOf(distances), slack: dayMinutes / 4 }
  const found = new Set(days)
  const ofWeek = weekdayNames.map((_, weekday) => shareOf(first, last, found, (day) => (day + 4) % 7 === weekday))
  const active = ofWeek.flatMap((share, weekday) => (share >= 0.5 ? [weekday] : []))
  const time = `${phase % 60} ${Math.floor(phase / 60)}`
  const clock = `about ${String(Math.floor(phase / 60)).padStart(2, '0')}:${String(phase % 60).padStart(2, '0')}`
  if (active.length > 0) {
    const isActive = (day: number) => active.includes((day + 4) % 7)
    const expected = shareOf(first, last, found, isActive)
    const explainedShare = Math.min(days.filter(isActive).length / days.length, expected) * isOnTime
    const fields = active.length === 7 ? '*' : active.join(',')
    const kind = active.length === 7 ? 'DAILY' : active.length === 1 ? 'WEEKLY' : 'WEEKDAYS'
    return { kind, cron: `${time} * * ${fields}`, text: `${weekdaysText(active)} ${clock}`, explainedShare, ...common }
  }
  const monthly = mostFrequent(days.map(dayOfMonth))
  if (monthly === undefined) return undefined
  const isMonthly = (day: number) => dayOfMonth(day) === monthly
  const share = Math.min(days.filter(isMonthly).length / days.length, shareOf(first, last, found, isMonthly))
  const text = `monthly on ${monthly === 'L' ? 'the last day' : `day ${monthly}`} ${clock}`
  return { kind: 'MONTHLY', cron: `${time} ${monthly} * *`, text, explainedShare: share * isOnTime, ...common }
}

/** The share of the days from `first` to `last` with `isExpected` that were found. */
function shareOf(first: number, last: number, found: ReadonlySet<number>, isExpected: (day: number) => boolean) {
  let [expected, hits] = [0, 0]
  for (let day = first; day <= last; day += 1) {
    if (!isExpected(day)) continue
    expected += 1
    if (found.has(day)) hits += 1
  }
  return expected === 0 ? 0 : hits / expected
}

/** `L`: the last day. */
function dayOfMonth(day: number): string {
  const date = (number: number) => new Date(number * dayMinutes * 60_000).getUTCDate()
  return date(day + 1) === 1 ? 'L' : String(date(day))
}

function mostFrequent(values: readonly string[]): string | undefined {
  const [first] = [...Map.groupBy(values, (value) => value)].sort(([, a], [, b]) => b.length - a.length)
  return first?.[0]
}

function weekdaysText(active: readonly number[]): string {
  if (active.length === 7) return 'daily'
  if (active.join() === '1,2,3,4,5') return 'daily, Monday to Friday,'
  return `${active.length === 1 ? 'weekly' : 'daily'} on ${active.map((weekday) => weekdayNames[weekday]).join(', ')}`
}
