import { weekdayOf } from './pattern.ts'

const everyDay = [1, 2, 3, 4, 5, 6, 7]
/** Sets of weekdays with the evidence that each needs, in nats. Rarer sets need more. */
const usual: readonly { weekdays: readonly number[]; penalty: number }[] = [
  { weekdays: everyDay, penalty: 0 },
  { weekdays: [1, 2, 3, 4, 5], penalty: 1 },
  { weekdays: [1, 2, 3, 4, 5, 6], penalty: 3 },
  { weekdays: [7, 1, 2, 3, 4], penalty: 3 },
  { weekdays: [2, 3, 4, 5, 6], penalty: 3 },
]
/** Log of the number of sets. */
const otherPenalty = 5

/**
 * The weekdays on which data arrives. `days`: the days since 1970 with data. Finds the likeliest set under a model in
 * which all days of the set have data with one probability, and all other days with another. Pure.
 */
export function likeliestWeekdays(days: ReadonlySet<number>): number[] {
  const all = [...days]
  const [first, last] = [Math.min(...all), Math.max(...all)]
  const counts = everyDay.map(() => ({ days: 0, hits: 0 }))
  for (let day = first; day <= last; day += 1) {
    const count = counts[weekdayOf(day) - 1]
    if (count === undefined) continue
    count.days += 1
    if (days.has(day)) count.hits += 1
  }
  const seen = everyDay.filter((day) => (counts[day - 1]?.hits ?? 0) * 2 >= (counts[day - 1]?.days ?? 0))
  const single = everyDay.map((day) => ({ weekdays: [day], penalty: 3 }))
  const candidates = [...usual, ...single, ...(seen.length === 0 ? [] : [{ weekdays: seen, penalty: otherPenalty }])]
  let best = { weekdays: everyDay as readonly number[], score: Number.NEGATIVE_INFINITY }
  for (const { weekdays, penalty } of candidates) {
    const [inside, outside] = [true, false].map((isIn) =>
      likelihood(counts.filter((_, i) => weekdays.includes(i + 1) === isIn)),
    )
    const score = (inside?.score ?? 0) + (outside?.score ?? 0) - penalty
    const isRight = (inside?.rate ?? 0) > (outside?.rate ?? 0)
    if (score > best.score && (isRight || weekdays.length === 7)) best = { weekdays, score }
  }
  return [...best.weekdays].sort()
}

/** The log likelihood of the hits if they occur at their observed rate. */
function likelihood(counts: readonly { days: number; hits: number }[]): { score: number; rate: number } {
  const days = counts.reduce((sum, one) => sum + one.days, 0)
  const hits = counts.reduce((sum, one) => sum + one.hits, 0)
  if (days === 0) return { score: 0, rate: 0 }
  const rate = (hits + 0.1) / (days + 0.2)
  return { score: hits * Math.log(rate) + (days - hits) * Math.log(1 - rate), rate: hits / days }
}
