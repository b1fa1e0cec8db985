import { isDeepStrictEqual } from 'node:util'
import { refusal } from './refusal.ts'

/** The id of what is new and has no number yet: numbers are taken when all has been checked. */
export const unnumbered = 0

/**
 * The list that replaces `previous`. An entry with an id keeps it (an id that the policy has not: `invalid`); one without
 * an id that says exactly what an entry of before said is that entry; all others are new. `draft` makes an entry of what
 * was sent, with the id of `before` or `unnumbered`.
 */
export function mergeList<Entry extends { id: number }, Input extends { id?: number | undefined }>(
  list: 'items' | 'mappings',
  previous: readonly Entry[],
  inputs: readonly Input[],
  draft: (input: Input, index: number, before: Entry | undefined) => Entry,
): Entry[] {
  const byId = new Map(previous.map((entry) => [entry.id, entry]))
  const claimed = new Set<number>()
  inputs.forEach(({ id }, index) => {
    if (id === undefined) return
    const what = list === 'items' ? 'item' : 'mapping'
    if (!byId.has(id)) throw refusal(`${list}[${index}].id`, `the policy has no ${what} with the id ${id}`)
    if (claimed.has(id)) throw refusal(`${list}[${index}].id`, `the id ${id} is given twice`)
    claimed.add(id)
  })
  return inputs.map((input, index) => {
    const entry = draft(input, index, input.id === undefined ? undefined : byId.get(input.id))
    if (input.id !== undefined) return entry
    const same = previous.find((one) => !claimed.has(one.id) && isDeepStrictEqual({ ...entry, id: one.id }, one))
    if (same === undefined) return entry
    claimed.add(same.id)
    return same
  })
}
