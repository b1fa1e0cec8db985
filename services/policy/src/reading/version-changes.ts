import { isDeepStrictEqual } from 'node:util'
import type { VersionChange } from '@assay/contracts'
import type { ExistingPolicy } from '../policy/policy.ts'

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A version with the field names of records: `rule.filter`, `items`, `configuration.prefix`. */
function shown({ definition, configuration }: ExistingPolicy): Fields {
  const { type: _type, items, ...frame } = definition
  const mappings = 'mappings' in frame ? { mappings: frame.mappings } : {}
  const { target, ...rule } = frame
  const named = Object.fromEntries(Object.entries(rule).filter(([name]) => name !== 'mappings'))
  return { rule: { ...named, backingAsset: target }, items, ...mappings, configuration }
}

/** Entries of a list by their ids, with their indexes. */
function entriesById(list: unknown): Map<unknown, { at: number; entry: Fields }> {
  if (!Array.isArray(list)) return new Map()
  return new Map(list.flatMap((entry: unknown, at) => (isFields(entry) ? [[entry.id, { at, entry }]] : [])))
}

function differencesAt(path: string, before: unknown, after: unknown): VersionChange[] {
  if (isDeepStrictEqual(before, after)) return []
  if (isFields(before) && isFields(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return names.flatMap((name) => differencesAt(path === '' ? name : `${path}.${name}`, before[name], after[name]))
  }
  if (path === 'items' || path === 'mappings') {
    const [old, now] = [entriesById(before), entriesById(after)]
    const ids = [...new Set([...old.keys(), ...now.keys()])]
    return ids.flatMap((id) => {
      const [was, is] = [old.get(id), now.get(id)]
      return differencesAt(`${path}[${(is ?? was)?.at ?? 0}]`, was?.entry, is?.entry)
    })
  }
  return [{ path, before: before ?? null, after: after ?? null }]
}

/** The differences between two versions, by field path; list entries are compared by id. Pure. */
export function versionChangesOf(before: ExistingPolicy, after: ExistingPolicy): VersionChange[] {
  return differencesAt('', shown(before), shown(after))
}
