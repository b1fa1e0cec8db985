const formats = new Map<string, Intl.DateTimeFormat>()

/** Cached, because a format takes longer to create than to use. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const day = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
  const time = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const
  const made = new Intl.DateTimeFormat('en-US', { timeZone, ...day, ...time })
  formats.set(timeZone, made)
  return made
}

const dayMs = 86_400_000
/** The UTC offset of whole days, by zone; null if the offset changes on that day. */
const offsetsByDay = new Map<string, Map<number, number | null>>()
const mostDays = 10_000

/** The zone's UTC offset at an instant, in milliseconds. Pure. */
export function offsetAt(instant: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0
  const day = Math.floor(instant / dayMs)
  let days = offsetsByDay.get(timeZone)
  if (days === undefined || days.size > mostDays) {
    days = new Map()
    offsetsByDay.set(timeZone, days)
  }
  let offset = days.get(day)
  if (offset === undefined) {
    const first = exactOffset(day * dayMs, timeZone)
    offset = first === exactOffset((day + 1) * dayMs - 1000, timeZone) ? first : null
    days.set(day, offset)
  }
  return offset ?? exactOffset(instant, timeZone)
}

/** Formatting takes about a microsecond, which adds up for long series. */
function exactOffset(instant: number, timeZone: string): number {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
  return wall - Math.floor(instant / 1000) * 1000
}

/** The wall clock of a zone at an instant, as the epoch milliseconds at which UTC shows the same. Pure. */
export function localOf(instant: number, timeZone: string): number {
  return instant + offsetAt(instant, timeZone)
}

/**
 * The instant at which the wall clock of a zone shows `local`. If the clock shows `local` twice, the first instant. If
 * the clock skips `local`, the instant is as long after the change as `local` is after the start of the skipped time.
 * Pure.
 */
export function instantOf(local: number, timeZone: string): number {
  const [before = local, after = local] = [-86_400_000, 86_400_000].map(
    (days) => local - offsetAt(local + days, timeZone),
  )
  const first = Math.min(before, after)
  if (localOf(first, timeZone) === local) return first
  const last = Math.max(before, after)
  return localOf(last, timeZone) === local ? last : before
}
