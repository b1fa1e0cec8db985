import { linkOfAsset } from './links.ts'
import type { WatchedContent } from './trigger.ts'

/** The fields that name an asset. `at`: when the event happened, ISO 8601 UTC. Pure. */
export function aboutAsset(assetId: number, at: string) {
  return { assetId, policyId: null, executionId: null, link: linkOfAsset(assetId), at }
}

/** A notification about one asset, with the UID at the beginning of its title. Pure. */
export function changeOf(
  { assetId, uid }: { assetId: number; uid: string },
  at: string,
  { kind, what, text }: { kind: WatchedContent['kind']; what: string; text: string },
): WatchedContent {
  return { ...aboutAsset(assetId, at), kind, title: `${uid} ${what}`, text }
}
