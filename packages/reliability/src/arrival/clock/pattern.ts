/** When data arrives by the wall clock. Times are local, as the epoch milliseconds at which UTC shows the same. */
export type Pattern =
  /** At every multiple of `period`, which divides a day, plus `phase` after midnight. */
  | { kind: 'INTERVAL'; period: number; phase: number }
  /** On these ISO weekdays (1 is Monday), `phase` after midnight. */
  | { kind: 'DAYS'; phase: number; weekdays: readonly number[] }
  /** Each month, on `day` (0: the last one), `phase` after midnight. */
  | { kind: 'MONTHS'; day: number; phase: number }

export const minuteMs = 60_000
export const dayMs = 86_400_000
export const weekMs = 7 * dayMs

/** The ISO weekday of a day since 1970, which began on a Thursday. Pure. */
export const weekdayOf = (day: number) => ((((day + 3) % 7) + 7) % 7) + 1

/** The mean time between two consecutive expected times. Pure. */
export function periodOf(pattern: Pattern): number {
  switch (pattern.kind) {
    case 'INTERVAL':
      return pattern.period
    case 'DAYS':
      return weekMs / pattern.weekdays.length
    case 'MONTHS':
      return 30.4 * dayMs
    default:
      return pattern satisfies never
  }
}

/** The expected times from `from` to `to`, ascending. Pure. */
export function slotsBetween(pattern: Pattern, from: number, to: number): number[] {
  switch (pattern.kind) {
    case 'INTERVAL': {
      const { period, phase } = pattern
      const found: number[] = []
      for (let at = Math.ceil((from - phase) / period) * period + phase; at <= to; at += period) found.push(at)
      return found
    }
    case 'DAYS': {
      const { phase, weekdays } = pattern
      const found: number[] = []
      for (let day = Math.ceil((from - phase) / dayMs); day * dayMs + phase <= to; day += 1)
        if (weekdays.includes(weekdayOf(day))) found.push(day * dayMs + phase)
      return found
    }
    case 'MONTHS':
      return monthsBetween(pattern, from, to)
    default:
      return pattern satisfies never
  }
}

function monthsBetween({ day, phase }: Extract<Pattern, { kind: 'MONTHS' }>, from: number, to: number): number[] {
  const first = new Date(from)
  const found: number[] = []
  for (let month = first.getUTCMonth() - 1; ; month += 1) {
    const last = Date.UTC(first.getUTCFullYear(), month + 1, 0)
    const start = Date.UTC(first.getUTCFullYear(), month, 1)
    const at = (day === 0 ? last : Math.min(last, start + (day - 1) * dayMs)) + phase
    if (at > to) return found
    if (at >= from) found.push(at)
  }
}
