import type { DryRunRoute, Permission } from '@assay/contracts'
import type { Caller } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { audienceOf } from '../channel/aggregate.ts'
import type { Channel } from '../channel/channel.ts'
import { audiences } from '../channels/own-channels.ts'

/** What a dry run is about. */
export interface Named {
  assetId?: number | undefined
  policyId?: number | undefined
  assemblyId?: number | undefined
}

/**
 * Throws `forbidden` if the caller may not read what the request names. The table of operations cannot express this. A
 * policy needs both permissions, because rules match the tags and owners of its asset.
 */
export function assertMayName({ identity: { permissions } }: Caller, { assetId, policyId, assemblyId }: Named): void {
  const needed: Permission[] = policyId === undefined ? [] : ['POLICY_VIEW', 'ASSET_VIEW']
  if ((assetId ?? assemblyId) !== undefined && needed.length === 0) needed.push('ASSET_VIEW')
  const missing = needed.filter((permission) => !permissions.has(permission))
  if (missing.length === 0) return
  const which = `permission${missing.length > 1 ? 's' : ''} ${missing.join(', ')}`
  const field = policyId !== undefined ? 'policyId' : assetId === undefined ? 'assemblyId' : 'assetId'
  throw new AssayError('forbidden', `This key lacks the ${which}, which a dry run with ${field} needs.`)
}

/** A channel as a caller may see it: without id and name if it is another user's. Pure. */
export function shownTo(call: Caller, channel: Channel): Pick<DryRunRoute, 'channelId' | 'channelName'> {
  const isShown = audiences(call).includes(audienceOf(channel))
  return isShown ? { channelId: channel.channelId, channelName: channel.name } : { channelId: null, channelName: null }
}
