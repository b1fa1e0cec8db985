import { isDeepStrictEqual } from 'node:util'
import { refusal } from './refusal.ts'

/** The id of a new part: numbers are taken after all checks. */
export const unnumbered = 0

/** The name and the place of an entry, if its list has them. */
interface Placed {
  name?: string | null | undefined
  executionOrder?: number | undefined
}

/**
 * The list that replaces `previous`. An entry with an id keeps it (an unknown id is `invalid`); one without an id that
 * equals a previous entry is that entry; all others are new. `draft` creates an entry from the input, with the id of
 * `before` or `unnumbered`. Without a name and a place in the input, previous entries keep theirs and new ones get
 * unused ones.
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

/** Whether a name was derived from `usual` to make it unique. */
function isMadeOf(name: string, usual: string): boolean {
  return name === usual || (name.startsWith(`${usual} `) && /^\d+$/.test(name.slice(usual.length + 1)))
}

/** The entry with its previous name and place, if the input has none. */
function placedAs<Entry extends Placed>(entry: Entry, input: Placed, before: Placed): Entry {
  const keepsName = input.name === undefined && before.name != null && isMadeOf(before.name, entry.name ?? '')
  const keepsPlace = input.executionOrder === undefined && before.executionOrder !== undefined
  return {
    ...entry,
    ...(keepsName ? { name: before.name } : {}),
    ...(keepsPlace ? { executionOrder: before.executionOrder } : {}),
  }
}

/** The entry with an unused name and place, if the input has none. Marks them as used. */
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
