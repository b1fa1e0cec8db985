import type { EndedItem } from '../kinds/run-kind.ts'
import { findingsOf } from './records.ts'

const items = (count: number) => `${count} ${count === 1 ? 'item' : 'items'}`

/** `Usual values are not known yet for 1 item, after 3 of 14 values.` Pure. */
function learningSentences(outcomes: readonly EndedItem[]): string[] {
  const learning = outcomes.flatMap((outcome) => findingsOf(outcome)?.learned ?? [])
  const [least] = learning.sort((one, other) => one.points / one.needed - other.points / other.needed)
  if (least === undefined) return []
  return [
    `Usual values are not known yet for ${items(learning.length)}, after ${least.points} of ${least.needed} values.`,
  ]
}

/** The findings of items, in sentences. `unusual`: the findings of the items that fired. Pure. */
function sentences(outcomes: readonly EndedItem[], unusual: string): string[] {
  const fired = outcomes.filter(({ verdict, error }) => verdict !== 'SUCCESSFUL' && error === null).length
  const unknown = outcomes.filter(({ error }) => error !== null).length
  return [
    ...(fired === 0 ? [] : [`${fired} of ${items(outcomes.length)} found ${unusual}.`]),
    ...(unknown === 0 ? [] : [`${unknown} could not be evaluated.`]),
    ...learningSentences(outcomes),
  ]
}

/** `The newest data is from 2026-11-20T06:10:00Z.` Pure. */
export function freshnessSummary(outcomes: readonly EndedItem[]): string {
  const times = outcomes.flatMap((outcome) => findingsOf(outcome)?.newestAt ?? [])
  const newest = times.sort((one, other) => Date.parse(one) - Date.parse(other)).at(-1)
  const first =
    newest === undefined ? 'The time of the newest data is not known.' : `The newest data is from ${newest}.`
  return [first, ...sentences(outcomes, 'it too old')].join(' ')
}

/** `2 of 4 items found values outside their limits.` Pure. */
export function cadenceSummary(outcomes: readonly EndedItem[]): string {
  const found = sentences(outcomes, 'values outside their limits')
  return found.length === 0 ? 'All values are within their limits.' : found.join(' ')
}
