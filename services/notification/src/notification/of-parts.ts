import type { GroupContent, StoredNotification } from './notification.ts'

type Filterable = Pick<StoredNotification, 'kind' | 'severity' | 'ofParts'>

/** The kinds and severities of notifications and of their parts, each once. Pure. */
export function filteredOf(some: readonly Filterable[]): NonNullable<GroupContent['ofParts']> {
  const all = some.flatMap(({ kind, severity, ofParts }) => ofParts ?? [{ kind, severity }])
  return [...new Map(all.map((each) => [`${each.kind} ${each.severity}`, each])).values()]
}
