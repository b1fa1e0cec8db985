import { notificationKind, type Permission, publicTopics } from '@assay/contracts'
import type { Identity } from '@assay/service-kit'
import { z } from 'zod'
import { about, aboutOf, readable, storedAbout } from '../notification/about.ts'
import type { KeptEvent } from './collection.ts'
import type { Audience } from './frames.ts'

const needed: ReadonlyMap<string, readonly Permission[]> = new Map([
  [publicTopics.assets, ['ASSET_VIEW']],
  [publicTopics.policies, ['ASSET_VIEW', 'POLICY_VIEW']],
  [publicTopics.executions, ['ASSET_VIEW', 'POLICY_VIEW']],
  [publicTopics.samples, ['ASSET_VIEW']],
  [publicTopics.notifications, ['NOTIFICATION_VIEW']],
] as const)

const showsTags: ReadonlySet<string> = new Set(
  ['AssetTagAdded', 'AssetTagRemoved', 'AssetLabelsReplaced', 'PolicyTagAdded', 'PolicyTagRemoved'].map(
    (name) => `io.assay.catalog.${name}`,
  ),
)

/** The only user who may see the event; absent means every user with the permissions. */
function ownerOf({ event }: KeptEvent): string | undefined {
  const { data } = event
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined
  const { recipient, userId } = data
  return typeof recipient === 'string' ? recipient : typeof userId === 'string' ? userId : undefined
}

/**
 * Whether a key may see the event: its subject must be readable, and notifications and watches belong to their owner.
 * Pure.
 */
function isVisible(kept: KeptEvent, { user, permissions }: Pick<Identity, 'user' | 'permissions'>): boolean {
  const wanted = needed.get(kept.topic)
  if (wanted === undefined || !wanted.every((permission) => permissions.has(permission))) return false
  if (/^tag(-key)?\//.test(kept.subject) && !permissions.has('TAGS_VIEW')) return false
  // The names of an asset's tags, and its labels.
  if (showsTags.has(kept.type) && !permissions.has('TAGS_VIEW')) return false
  // Events of templates have their code.
  if (kept.subject.startsWith('udf-template/') && !permissions.has('USER_DEFINED_FUNCTION_VIEW')) return false
  // Tags of a policy, which the catalog publishes.
  if (kept.subject.startsWith('policy/') && !permissions.has('POLICY_VIEW')) return false
  if (!hasOwner(kept)) return true
  return ownerOf(kept) === user && isReadable(kept, permissions)
}

const notification = z.object({
  kind: notificationKind.optional(),
  assetId: z.int().nullable(),
  policyId: z.int().nullable(),
  /** Absent in older events. */
  about: about.optional(),
})

/** Like in the list, a notification requires the permission for the asset or policy that it is about. Pure. */
function isReadable({ subject, event }: KeptEvent, permissions: Identity['permissions']): boolean {
  if (!subject.startsWith('notification/')) return true
  const { data } = notification.safeParse(event.data)
  if (data === undefined) return false
  const { kind, about } = data
  const shown = about === undefined ? aboutOf(data) : storedAbout({ kind, about })
  return readable(permissions).includes(shown)
}

/** Whether only one user may see the event. Pure. */
export function hasOwner({ topic }: Pick<KeptEvent, 'topic'>): boolean {
  return topic === publicTopics.notifications
}

/** A reader's filter; absent means all. */
export interface Wanted {
  types?: readonly string[] | undefined
  entities?: readonly string[] | undefined
  /** Prefixes of the subject. */
  subjects?: readonly string[] | undefined
  /** Epoch milliseconds; events that happened earlier are not wanted. */
  since?: number | undefined
}

/**
 * Whether the event matches the filter. A type that ends with `*` is a prefix, an entity without an id is a kind. Pure.
 */
function isWanted(kept: KeptEvent, { types, entities, subjects, since }: Wanted): boolean {
  const { type, subject, event } = kept
  const fitsType = (wanted: string) => (wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted)
  const entity = subject.toLowerCase()
  const fitsEntity = (wanted: string) => {
    const asked = wanted.toLowerCase()
    return entity === asked || entity.startsWith(`${asked}/`)
  }
  return (
    (types?.some(fitsType) ?? true) &&
    (entities?.some(fitsEntity) ?? true) &&
    (subjects?.some((prefix) => subject.startsWith(prefix)) ?? true) &&
    (since === undefined || Date.parse(event.time) >= since)
  )
}

/** The audience of a reader: who reads, and the filter. Pure. */
export function audienceOf(identity: Pick<Identity, 'user' | 'permissions'>, wanted: Wanted): Audience {
  const key = JSON.stringify([[...identity.permissions].sort(), wanted])
  return {
    key,
    ownKey: JSON.stringify([identity.user, key]),
    isShown: (event) => isVisible(event, identity) && isWanted(event, wanted),
  }
}
