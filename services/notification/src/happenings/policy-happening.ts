import { z } from 'zod'
import type { News } from './news.ts'

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

/** What happened, behind the names of policy and asset, and one sentence more; absent: nobody waits for it. */
const said: ReadonlyMap<string, readonly [what: string, text: string]> = new Map([
  ['PolicyCreated', ['was created', 'The asset has one policy more.']],
  ['PolicyDefinitionChanged', ['was changed', 'What it checks, or how it does, differs.']],
  ['PolicyEnabled', ['was enabled', 'It can be run.']],
  ['PolicyDisabled', ['was disabled', 'It is not run until it is enabled.']],
  ['PolicyScheduleSet', ['was scheduled', 'When it runs by itself was set.']],
  ['PolicyConfigurationSet', ['was configured', 'How it is run differs.']],
  ['PolicyTagged', ['has other tags', 'Its tags were changed.']],
  ['PolicyUntagged', ['has other tags', 'Its tags were changed.']],
  ['PolicyArchived', ['was archived', 'It is not run until it is unarchived.']],
  ['PolicyUnarchived', ['was unarchived', 'It can be run.']],
] as const)

/**
 * What an event of a policy tells the watchers of its assets: of both that it compares, and of those that it was on before
 * the event. `type`: without the service. Throws a ZodError for one that is not in the form of its type. Pure.
 */
export function toldOfPolicy(type: string, data: unknown, at: string): News[] {
  const sentence = said.get(type)
  if (sentence === undefined) return []
  const [what, text] = sentence
  const { policyId, policyName, assetId, assetUid, rightAssetId, rightAssetUid, changes } = ofPolicy.parse(data)
  const before = changes?.before
  // By id, so that who watches an asset is told once, by the name that the policy has for it now.
  const assets = new Map<number, string>()
  for (const asset of [before?.target, before?.rightTarget]) if (asset) assets.set(asset.assetId, asset.uid)
  if (rightAssetId !== undefined && rightAssetUid !== undefined) assets.set(rightAssetId, rightAssetUid)
  assets.set(assetId, assetUid)
  return [...assets].map(([id, uid]) => ({
    kind: 'POLICY_CHANGED',
    assetId: id,
    policyId,
    executionId: null,
    title: `${policyName} on ${uid} ${what}`,
    text,
    link: `/policies/${policyId}`,
    at,
  }))
}
