import type { NotificationKind, Permission } from '@assay/contracts'
import { z } from 'zod'

/** What a row shows, which decides the permissions to read it: `tags` the name of a tag, `all` a policy and such a name. */
export const about = z.enum(['neither', 'asset', 'policy', 'tags', 'all'])
export type About = z.infer<typeof about>

const needed: Readonly<Record<About, readonly Permission[]>> = {
  neither: [],
  asset: ['ASSET_VIEW'],
  policy: ['POLICY_VIEW'],
  tags: ['ASSET_VIEW', 'TAGS_VIEW'],
  all: ['ASSET_VIEW', 'POLICY_VIEW', 'TAGS_VIEW'],
}

/** Rows about tags that were stored earlier have the about `asset`. Pure. */
export const storedAbout = (of: { kind?: NotificationKind | undefined; about: About }): About =>
  of.kind === 'TAGS_CHANGED' ? 'tags' : of.about

export function aboutOf(of: {
  kind?: NotificationKind | undefined
  assetId: number | null
  policyId: number | null
}): About {
  if (of.kind === 'TAGS_CHANGED') return 'tags'
  if (of.policyId !== null) return 'policy'
  return of.assetId === null ? 'neither' : 'asset'
}

/** What a row shows that contains these rows. Pure. */
export function aboutAll(rows: readonly { about: About }[]): About {
  const abouts = new Set(rows.map((row) => row.about))
  if (abouts.has('tags') && abouts.has('policy')) return 'all'
  return about.options.findLast((each) => abouts.has(each)) ?? 'neither'
}

/** The rows that a key with these permissions may read. Pure. */
export const readable = (permissions: ReadonlySet<Permission>): About[] =>
  about.options.filter((each) => needed[each].every((permission) => permissions.has(permission)))
