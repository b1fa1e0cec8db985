import { notificationKind } from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'

/** Times are ISO 8601 UTC. One of asset, policy and kind is not null. */
export const mute = z.object({
  muteId: z.int(),
  user: z.string(),
  assetId: z.int().nullable(),
  policyId: z.int().nullable(),
  kind: notificationKind.nullable(),
  until: z.string(),
  createdAt: z.string(),
})
export type Mute = z.infer<typeof mute>

export type MuteEvent =
  | { type: 'NotificationsMuted'; data: Mute }
  | { type: 'MuteDeleted'; data: { muteId: number; user: string; at: string } }

/** An ended mute keeps its content, because its public event contains it. */
export type MuteState = { status: 'none' } | { status: 'muted' | 'ended'; mute: Mute }
export const noMute: MuteState = { status: 'none' }

export function evolve(state: MuteState, event: MuteEvent): MuteState {
  if (event.type === 'NotificationsMuted') return { status: 'muted', mute: event.data }
  return state.status === 'none' ? state : { ...state, status: 'ended' }
}

export type MuteCommand = { type: 'Mute'; mute: Mute } | { type: 'EndMute'; user: string; at: string }

/** Throws `not-found` if the mute to end does not exist or belongs to another user. */
export function decide(command: MuteCommand, state: MuteState): MuteEvent[] {
  if (command.type === 'Mute')
    return state.status === 'none' ? [{ type: 'NotificationsMuted', data: command.mute }] : []
  if (state.status !== 'muted' || state.mute.user !== command.user)
    throw new AssayError('not-found', 'You have no such mute.')
  const { muteId, user } = state.mute
  return [{ type: 'MuteDeleted', data: { muteId, user, at: command.at } }]
}

/** The fields of a notification that mutes compare. `assetIds`: its asset and the ancestors of the asset. */
export interface Muteable {
  kind: z.infer<typeof notificationKind>
  policyId: number | null
  assetIds: readonly number[]
}

/** Whether a mute applies to a notification at a time (ISO 8601 UTC). Pure. */
export function mutes({ assetId, policyId, kind, until }: Mute, of: Muteable, at: string): boolean {
  if (at >= until) return false
  if (kind !== null) return kind === of.kind
  return policyId !== null ? policyId === of.policyId : assetId !== null && of.assetIds.includes(assetId)
}
