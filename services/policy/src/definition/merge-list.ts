import { isDeepStrictEqual } from 'node:util'
import { refusal } from './refusal.ts'

/** The id of what is new and has no number yet: numbers are taken when all has been checked. */
export const unnumbered = 0

/** What an entry is called and where it stands, as far as its list has that. */
interface Placed {
  name?: string | null | undefined
  executionOrder?: number | undefined
}

/**
 * The list that replaces `previous`. An entry with an id keeps it (an id that the policy has not: `invalid`); one without
 * an id that says exactly what an entry of before said is that entry; all others are new. `draft` makes an entry of what
 * was sent, with the id of `before` or `unnumbered`, and with a name and a place of its own where none was sent: those
 * an entry of before keeps, and new ones get such that no other entry has.
 */
export function mergeList<Entry extends Placed & { id: number }, Input extends Placed & { id?: number | undefined }>(
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
  const merged = inputs.map((input, index) => {
    const before = input.id === undefined ? undefined : byId.get(input.id)
    const entry = draft(input, index, before)
    if (before !== undefined) return { entry: placedAs(entry, input, before), input, isNew: false }
    const same = previous.find(
      (one) => !claimed.has(one.id) && isDeepStrictEqual({ ...placedAs(entry, input, one), id: one.id }, one),
    )
    if (same === undefined) return { entry, input, isNew: true }
    claimed.add(same.id)
    return { entry: same, input, isNew: false }
  })
  const taken = {
    names: new Set(
      merged.flatMap(({ entry, input, isNew }) => (isNew && input.name === undefined ? [] : [entry.name])),
    ),
    places: new Set(
      merged.flatMap(({ entry, input, isNew }) =>
        isNew && input.executionOrder === undefined ? [] : [entry.executionOrder],
      ),
    ),
  }
  return merged.map(({ entry, input, isNew }) => (isNew ? placedApart(entry, input, taken) : entry))
}

/** Whether a name is what `usual` became, so that no other entry had it. */
function isMadeOf(name: string, usual: string): boolean {
  return name === usual || (name.startsWith(`${usual} `) && /^\d+$/.test(name.slice(usual.length + 1)))
}

/** The entry with the name and the place that it had before, where none was sent. */
function placedAs<Entry extends Placed>(entry: Entry, input: Placed, before: Placed): Entry {
  const keepsName = input.name === undefined && before.name != null && isMadeOf(before.name, entry.name ?? '')
  const keepsPlace = input.executionOrder === undefined && before.executionOrder !== undefined
  return {
    ...entry,
    ...(keepsName ? { name: before.name } : {}),
    ...(keepsPlace ? { executionOrder: before.executionOrder } : {}),
  }
}

/** The entry with a name and a place that are free, where none was sent. They are taken then. */
function placedApart<Entry extends Placed>(
  entry: Entry,
  input: Placed,
  taken: { names: Set<string | null | undefined>; places: Set<number | undefined> },
): Entry {
  const { name, executionOrder } = entry
  const apart: Placed = {}
  if (input.name === undefined && name != null) {
    let free = name
    for (let count = 2; taken.names.has(free); count += 1) free = `${name} ${count}`
    taken.names.add(free)
    apart.name = free
  }
  if (input.executionOrder === undefined && executionOrder !== undefined) {
    let free = executionOrder
    while (taken.places.has(free)) free += 1
    taken.places.add(free)
    apart.executionOrder = free
  }
  return { ...entry, ...apart }
}
