import { z } from 'zod'
import { linkOfPolicy } from './links.ts'
import type { WatchedContent } from './trigger.ts'

const target = z.object({ assetId: z.int(), uid: z.string() })
const ofPolicy = z.object({
  policyId: z.int(),
  policyName: z.string(),
  assetId: z.int(),
  assetUid: z.string(),
  rightAssetId: z.int().optional(),
  rightAssetUid: z.string().optional(),
  changes: z
    .object({ before: z.object({ target: target.nullish(), rightTarget: target.nullish() }).nullable() })
    .optional(),
})

/**
 * By event type: the end of the title, after the names of policy and asset, and a further sentence. Other types trigger
 * no notification.
 */
const sentences: ReadonlyMap<string, readonly [what: string, text: string]> = new Map([
  ['PolicyCreated', ['was created', '']],
  ['PolicyDefinitionChanged', ['was changed', 'Its definition has a new version.']],
  ['PolicyEnabled', ['was enabled', 'It can run again.']],
  ['PolicyDisabled', ['was disabled', 'It does not run until it is enabled.']],
  ['PolicyScheduleSet', ['was scheduled', 'Its schedule was set.']],
  ['PolicyConfigurationSet', ['was configured', 'Its configuration was changed.']],
  ['PolicyTagged', ['has other tags', 'Its tags were changed.']],
  ['PolicyUntagged', ['has other tags', 'Its tags were changed.']],
  ['PolicyArchived', ['was archived', 'It does not run until it is unarchived.']],
  ['PolicyUnarchived', ['was unarchived', 'It can run again.']],
] as const)

const kinds: ReadonlyMap<string, 'POLICY_CREATED' | 'POLICY_ARCHIVED'> = new Map([
  ['PolicyCreated', 'POLICY_CREATED'],
  ['PolicyArchived', 'POLICY_ARCHIVED'],
] as const)

/**
 * The notifications of a policy event for the watchers of the policy's assets, before and after the event. `type`: without
 * the service. Throws a ZodError if the data does not match the type. Pure.
 */
export function ofPolicyEvent(type: string, data: unknown, at: string, actor: string): WatchedContent[] {
  const sentence = sentences.get(type)
  if (sentence === undefined) return []
  const [what, text] = sentence
  const { policyId, policyName, assetId, assetUid, rightAssetId, rightAssetUid, changes } = ofPolicy.parse(data)
  const before = changes?.before
  // By id, so that a watcher of an asset is notified once, with its current name.
  const assets = new Map<number, string>()
  for (const asset of [before?.target, before?.rightTarget]) if (asset) assets.set(asset.assetId, asset.uid)
  if (rightAssetId !== undefined && rightAssetUid !== undefined) assets.set(rightAssetId, rightAssetUid)
  assets.set(assetId, assetUid)
  return [...assets].map(([id, uid]) => ({
    kind: kinds.get(type) ?? 'POLICY_CHANGED',
    assetId: id,
    policyId,
    executionId: null,
    title: `Policy '${policyName}' on ${uid} ${what}`,
    text: type === 'PolicyCreated' ? `${actor} added policy '${policyName}' to ${uid}.` : `${text} By ${actor}.`,
    link: linkOfPolicy(policyId),
    at,
  }))
}
