import { isDeepStrictEqual } from 'node:util'
import { refusal } from './refusal.ts'

/** The id of a new part: numbers are taken after all checks. */
export const unnumbered = 0

/** The name and the order of an entry, if its list has them. */
interface NamedAndOrdered {
  name?: string | null | undefined
  executionOrder?: number | undefined
}

/**
 * The list that replaces `previous`, which stays if a request has none. An entry with an id keeps that id; an unknown id is `invalid`. An entry without an
 * id that equals a previous entry is that entry. All others are new. `draft` creates an entry from the input, with the id
 * of `before` or `unnumbered`. If the input has no name or order, previous entries keep theirs, and new ones get unused
 * ones.
 */
export function mergeList<
  Entry extends NamedAndOrdered & { id: number },
  Input extends NamedAndOrdered & { id?: number | undefined },
>(
  list: 'items' | 'mappings',
  previous: readonly Entry[],
  inputs: readonly Input[] | undefined,
  draft: (input: Input, index: number, before: Entry | undefined) => Entry,
): Entry[] {
  if (inputs === undefined) return [...previous]
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
    if (before !== undefined) return { entry: withPrevious(entry, input, before), input, isNew: false }
    const same = previous.find(
      (one) => !claimed.has(one.id) && isDeepStrictEqual({ ...withPrevious(entry, input, one), id: one.id }, one),
    )
    if (same === undefined) return { entry, input, isNew: true }
    claimed.add(same.id)
    return { entry: same, input, isNew: false }
  })
  const taken = {
    names: new Set(
      merged.flatMap(({ entry, input, isNew }) => (isNew && input.name === undefined ? [] : [entry.name])),
    ),
    orders: new Set(
      merged.flatMap(({ entry, input, isNew }) =>
        isNew && input.executionOrder === undefined ? [] : [entry.executionOrder],
      ),
    ),
  }
  return merged.map(({ entry, input, isNew }) => (isNew ? withUnused(entry, input, taken) : entry))
}

/** Whether a name was derived from `usual` to make it unique. */
function isDerivedFrom(name: string, usual: string): boolean {
  return name === usual || (name.startsWith(`${usual} `) && /^\d+$/.test(name.slice(usual.length + 1)))
}

/** The entry with its previous name and order, if the input has none. */
function withPrevious<Entry extends NamedAndOrdered>(
  entry: Entry,
  input: NamedAndOrdered,
  before: NamedAndOrdered,
): Entry {
  const keepsName = input.name === undefined && before.name != null && isDerivedFrom(before.name, entry.name ?? '')
  const keepsOrder = input.executionOrder === undefined && before.executionOrder !== undefined
  return {
    ...entry,
    ...(keepsName ? { name: before.name } : {}),
    ...(keepsOrder ? { executionOrder: before.executionOrder } : {}),
  }
}

/** The entry with an unused name and order, if the input has none. Adds them to `taken`. */
function withUnused<Entry extends NamedAndOrdered>(
  entry: Entry,
  input: NamedAndOrdered,
  taken: { names: Set<string | null | undefined>; orders: Set<number | undefined> },
): Entry {
  const { name, executionOrder } = entry
  const unused: NamedAndOrdered = {}
  if (input.name === undefined && name != null) {
    let free = name
    for (let count = 2; taken.names.has(free); count += 1) free = `${name} ${count}`
    taken.names.add(free)
    unused.name = free
  }
  if (input.executionOrder === undefined && executionOrder !== undefined) {
    let free = executionOrder
    while (taken.orders.has(free)) free += 1
    taken.orders.add(free)
    unused.executionOrder = free
  }
  return { ...entry, ...unused }
}
