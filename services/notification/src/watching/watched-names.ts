import type { Permission } from '@assay/contracts'
import type { Collection, Documents } from '@assay/documents'
import { notificationAssemblies, notificationPolicies, notificationTags } from '../copies/targets.ts'
import type { Watch } from '../watch/watch.ts'

/** The filters of a search as text: it has no other name. Pure. */
const nameOfSearch = (search: object): string =>
  Object.entries(search)
    .map(([filter, value]) => `${filter}: ${Array.isArray(value) ? value.join(', ') : value}`)
    .join('; ')

/**
 * The names of what watches cover, except those of assets. Null for what was deleted, and for what the permissions do not
 * show. At most 1,000 watches.
 */
export async function watchedNames(
  documents: Pick<Documents, 'find'>,
  { tenant, permissions }: { tenant: string; permissions: ReadonlySet<Permission> },
  watches: readonly Watch[],
): Promise<(watch: Watch) => string | null> {
  async function namesOf<T>(
    collection: Collection<T>,
    ids: readonly (number | null)[],
    named: (document: T) => readonly [id: number, name: string | null],
  ): Promise<ReadonlyMap<number, string | null>> {
    const some = [...new Set(ids.filter((id) => id !== null))]
    if (some.length === 0) return new Map()
    const found = await documents.find(collection, tenant, { where: [{ field: 'id', in: some }], size: some.length })
    return new Map(found.documents.map(named))
  }

  const ofPolicies = permissions.has('POLICY_VIEW') ? watches.map(({ policyId }) => policyId) : []
  const ofTags = permissions.has('TAGS_VIEW') ? watches.map(({ tagId }) => tagId) : []
  const [policies, tags, assemblies] = await Promise.all([
    namesOf(notificationPolicies, ofPolicies, ({ policyId, name }) => [policyId, name]),
    namesOf(notificationTags.tags, ofTags, ({ tag }) => [tag.tagId, tag.name]),
    namesOf(
      notificationAssemblies,
      watches.map(({ assemblyId }) => assemblyId),
      ({ assemblyId, name, isDeleted }) => [assemblyId, isDeleted ? null : name],
    ),
  ])
  return ({ policyId, assemblyId, tagId, search }) => {
    if (policyId !== null) return policies.get(policyId) ?? null
    if (assemblyId !== null) return assemblies.get(assemblyId) ?? null
    if (tagId !== null) return tags.get(tagId) ?? null
    return search === null ? null : nameOfSearch(search)
  }
}
