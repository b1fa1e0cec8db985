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

/**
 * Names who may read at least one row of several: the subjects of the rows, without those that need more permissions than
 * another one. Pure.
 */
export const readersOf = (abouts: readonly About[]): string =>
  about.options
    .filter((each) => abouts.includes(each) && !abouts.some((other) => other !== each && isImplied(other, each)))
    .join('+')

/** Whether everybody who may read the second may read the first. */
const isImplied = (first: About, second: About) =>
  needed[first].every((permission) => needed[second].includes(permission))

/** The `readersOf` to which a key with these permissions belongs. Pure. */
export const readersWith = (permissions: ReadonlySet<Permission>): string[] => [
  ...new Set(readable(permissions).flatMap((one) => about.options.map((other) => readersOf([one, other])))),
]
