import { AssayError } from '@assay/service-kit/errors'
import { textLiteral } from '../sql/quote.ts'
import { clock, day, daySeconds, isoOf, parseTime, zone } from '../sql/time-literals.ts'

const matches = (text: string, pattern: string) => `(${text} REGEXP ${textLiteral(`\\A(?:${pattern})\\z`)})`

/**
 * Whether a text begins with a valid calendar day. A cast is not used, because for an invalid day it gives NULL and a
 * warning per row.
 */
function isDay(text: string): string {
  const [year, month] = [`substr(${text}, 1, 4)`, `substr(${text}, 6, 2)`]
  const dayOf = `CAST(substr(${text}, 9, 2) AS SIGNED)`
  const number = `CAST(${year} AS SIGNED)`
  const leap = `(${number} % 4 = 0 AND (${number} % 100 <> 0 OR ${number} % 400 = 0))`
  const last = `CASE WHEN ${month} = '02' THEN CASE WHEN ${leap} THEN 29 ELSE 28 END WHEN ${month} IN ('04', '06', '09', '11') THEN 30 ELSE 31 END`
  return `(${year} <> '0000' AND ${dayOf} <= ${last})`
}

/** Whether a text is a valid calendar day, followed by the form `rest`. */
export const isTimeText = (text: string, rest: string) =>
  `CASE WHEN ${matches(text, `${day}${rest}`)} THEN ${isDay(text)} ELSE false END`

export const isTimeOfDay = (text: string) => matches(text, clock)

/** The time of an ISO 8601 text in UTC, without zone; NULL if the text is not one. */
export function timeOfText(text: string): string {
  const rest = `substr(${text}, 11)`
  const written = `REGEXP_SUBSTR(${rest}, '[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?')`
  const local = `CAST(concat(substr(${text}, 1, 10), CASE WHEN char_length(${text}) > 10 THEN concat(' ', ${written}) ELSE ' 00:00:00' END) AS DATETIME(6))`
  // If nothing matches, MySQL returns NULL and MariaDB an empty text.
  const offset = `coalesce(REGEXP_SUBSTR(${rest}, '[+-][0-9]{2}(:?[0-9]{2})?\\z'), '')`
  const minutes = `CASE WHEN char_length(${offset}) > 3 THEN CAST(right(${offset}, 2) AS SIGNED) ELSE 0 END`
  const seconds = `(CASE left(${offset}, 1) WHEN '-' THEN -60 ELSE 60 END * (60 * CAST(substr(${offset}, 2, 2) AS SIGNED) + ${minutes}))`
  const utc = `CASE WHEN ${offset} = '' THEN ${local} ELSE ${local} - INTERVAL ${seconds} SECOND END`
  return `CASE WHEN ${isTimeText(text, `([ T]${clock}${zone})?`)} THEN ${utc} END`
}

/** How many seconds a zone is ahead of UTC at an instant (epoch seconds). */
function offsetAt(zoneName: string, seconds: number): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zoneName, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  }).formatToParts(seconds * 1000)
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) / 1000 - seconds
}

/**
 * Converts a time on the clocks of a zone to UTC, by the changes of the clocks within `range` and two days around it.
 * The server itself often has no time zones, because an administrator has to load them.
 */
export function fromZone(time: string, zoneName: string, range: { from: string; to: string }): string {
  const [from, to] = [range.from, range.to].map((text) => parseTime(text)?.seconds ?? Number.NaN)
  if (from === undefined || to === undefined || Number.isNaN(from) || Number.isNaN(to))
    throw new AssayError('invalid', 'Periods need a first and a last time.')
  const changes: { before: number; at: number }[] = []
  let before = offsetAt(zoneName, from - 2 * daySeconds)
  for (let at = from - daySeconds; at <= to + 2 * daySeconds; at += daySeconds) {
    const offset = offsetAt(zoneName, at)
    if (offset === before) continue
    let [low, high] = [at - daySeconds, at]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (offsetAt(zoneName, middle) === before) low = middle
      else high = middle
    }
    // Clock times below this one have the old offset: the clocks show it first after the change, or skip it.
    changes.push({ before, at: high + Math.max(before, offset) })
    before = offset
  }
  const shifted = (offset: number) => `${time} - INTERVAL ${offset} SECOND`
  const cases = changes.map((one) => {
    const wall = isoOf(one.at).slice(0, 19).replace('T', ' ')
    return `WHEN ${time} < TIMESTAMP '${wall}' THEN ${shifted(one.before)}`
  })
  return cases.length === 0 ? `(${shifted(before)})` : `CASE ${cases.join(' ')} ELSE ${shifted(before)} END`
}
