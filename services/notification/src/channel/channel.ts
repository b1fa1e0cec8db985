import { channelDigest, channelType, notificationKind, notificationSeverity } from '@assay/contracts'
import { afterClaim, afterRelease, afterRenewal, type ClaimGranted, claimed, waiting } from '@assay/work'
import { z } from 'zod'

/** The settings of a channel. The secrets in `configuration` are sealed. */
export const channelSettings = z.object({
  name: z.string(),
  type: channelType,
  configuration: z.record(z.string(), z.json()),
  enabled: z.boolean(),
  shared: z.boolean(),
  kinds: z.array(notificationKind).nullable(),
  minSeverity: notificationSeverity.nullable(),
  digest: channelDigest,
})
export type ChannelSettings = z.infer<typeof channelSettings>

/** A sealed secret that signs messages of a webhook until `until` (ISO 8601 UTC; null: without end). */
const signingSecret = z.object({ sealed: z.string(), until: z.string().nullable() })
export type SigningSecret = z.infer<typeof signingSecret>

/**
 * A channel with the state of its outbox. One worker at a time empties an outbox, so that the messages about an asset
 * stay in order.
 */
export const channel = channelSettings.extend({
  channelId: z.int(),
  owner: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** The secrets of a webhook, the current one first. Empty for other types. */
  secrets: z.array(signingSecret),
  state: z.enum(['ACTIVE', 'PAUSED', 'UNSUBSCRIBED']),
  stateReason: z.string().nullable(),
  /** Number of consecutive failed attempts. */
  failures: z.int(),
  /** The receiver asked to send nothing before this time. */
  heldUntil: z.string().nullable(),
  /** When it first asked so since the last delivered message. Absent if it did not, and in older documents. */
  heldSince: z.string().optional(),
  /** Null while nothing is due. */
  work: z.union([waiting, claimed]).nullable(),
  /** When the work was requested. */
  wokenAt: z.string(),
  /** The fence of the last claim. */
  fence: z.int(),
  /** More deliveries were requested since the claim. */
  again: z.boolean(),
  /** When the next retry is due. */
  nextAt: z.string().nullable(),
  /** When the next digest is due; null without digests. */
  digestAt: z.string().nullable(),
  /** The digest that is being written, again after a crash. */
  digesting: z.string().nullable(),
  /** When that digest was due. */
  digestingSince: z.string().nullable(),
  /** The number of digests so far. */
  digests: z.int(),
})
export type Channel = z.infer<typeof channel>

/** Absent in older events: there were no digests. */
type Digested = { digestAt?: string | null }
type Created = ChannelSettings & Digested & { channelId: number; owner: string; secrets: SigningSecret[]; at: string }
export type ChannelEvent =
  | { type: 'ChannelCreated'; data: Created }
  | { type: 'ChannelChanged'; data: ChannelSettings & Digested & { at: string; secrets: SigningSecret[] } }
  | { type: 'ChannelSecretRotated'; data: { secrets: SigningSecret[]; at: string } }
  /** The same secrets were sealed with another key. */
  | {
      type: 'ChannelSealedAgain'
      data: Pick<ChannelSettings, 'configuration'> & { secrets: SigningSecret[]; at: string }
    }
  | { type: 'ChannelDeleted'; data: { at: string } }
  | { type: 'ChannelResumed'; data: { at: string } }
  | { type: 'ChannelPaused'; data: { reason: string; at: string } }
  | { type: 'ChannelUnsubscribed'; data: { reason: string; at: string } }
  | { type: 'ChannelAttemptFailed'; data: { heldUntil: string | null; at: string } }
  | { type: 'ChannelAttemptSucceeded'; data: { at: string } }
  /** The receiver asked to wait. */
  | { type: 'ChannelHeld'; data: { heldUntil: string; at: string } }
  /** A user asked for the digest now. */
  | { type: 'ChannelDigestRequested'; data: { at: string } }
  | { type: 'ChannelDigestScheduled'; data: { digestAt: string | null } }
  | { type: 'ChannelDigestBegun'; data: { digest: string } }
  | { type: 'ChannelDigestSent'; data: { digestAt: string | null } }
  | { type: 'ChannelWoken'; data: { at: string } }
  | { type: 'ChannelClaimed'; data: ClaimGranted }
  | { type: 'ChannelClaimRenewed'; data: { at: string; until: string } }
  | { type: 'ChannelReleased'; data: { at: string } }
  | { type: 'ChannelRested'; data: { at: string; nextAt: string | null } }

export type ChannelState = { status: 'none' } | { status: 'deleted' } | ({ status: 'present' } & Channel)
export const noChannel: ChannelState = { status: 'none' }

function created({ at, digestAt = null, ...data }: Created): ChannelState {
  const own = { ...data, createdAt: at, updatedAt: at, state: 'ACTIVE', stateReason: null } as const
  const outbox = { work: null, wokenAt: at, fence: 0, again: false, nextAt: null, failures: 0, heldUntil: null }
  return { status: 'present', ...own, ...outbox, digestAt, digesting: null, digestingSince: null, digests: 0 }
}

/** Requests work on the outbox. A worker that is already emptying it checks it once more before it rests. */
function woken(state: Channel & { status: 'present' }, at: string): ChannelState {
  if (state.work !== null) return { ...state, again: true }
  return { ...state, work: { status: 'waiting', fence: state.fence, lost: 0 }, wokenAt: at, nextAt: null }
}

export function evolve(state: ChannelState, event: ChannelEvent): ChannelState {
  if (event.type === 'ChannelCreated') return created(event.data)
  if (state.status !== 'present') return state
  const { work } = state
  switch (event.type) {
    case 'ChannelChanged': {
      const { at, ...settings } = event.data
      return { ...state, ...settings, updatedAt: at }
    }
    case 'ChannelSecretRotated':
      return { ...state, secrets: event.data.secrets, updatedAt: event.data.at }
    case 'ChannelSealedAgain': {
      const { at: _, ...sealed } = event.data
      return { ...state, ...sealed }
    }
    case 'ChannelDeleted':
      return { status: 'deleted' }
    case 'ChannelResumed': {
      const { heldSince: _, ...free } = state
      return { ...free, state: 'ACTIVE', stateReason: null, failures: 0, heldUntil: null, updatedAt: event.data.at }
    }
    case 'ChannelPaused':
      return { ...state, state: 'PAUSED', stateReason: event.data.reason, updatedAt: event.data.at }
    case 'ChannelUnsubscribed':
      return { ...state, state: 'UNSUBSCRIBED', stateReason: event.data.reason, updatedAt: event.data.at }
    case 'ChannelAttemptFailed':
      return { ...state, failures: state.failures + 1, heldUntil: event.data.heldUntil ?? state.heldUntil }
    case 'ChannelAttemptSucceeded': {
      const { heldSince, ...free } = state
      // An attempt that was in flight when the receiver asked to wait.
      const isHeld = state.heldUntil !== null && state.heldUntil > event.data.at
      return { ...free, failures: 0, ...(isHeld && heldSince !== undefined ? { heldSince } : {}) }
    }
    case 'ChannelHeld':
      return { ...state, heldUntil: event.data.heldUntil, heldSince: state.heldSince ?? event.data.at }
    case 'ChannelDigestRequested':
      return { ...state, digestAt: event.data.at, updatedAt: event.data.at }
    case 'ChannelDigestScheduled':
      return { ...state, digestAt: event.data.digestAt }
    case 'ChannelDigestBegun':
      return {
        ...state,
        digesting: event.data.digest,
        digestingSince: state.digestAt,
        digests: state.digests + 1,
      }
    case 'ChannelDigestSent':
      return { ...state, digesting: null, digestingSince: null, digestAt: event.data.digestAt }
    case 'ChannelWoken':
      return woken(state, event.data.at)
    case 'ChannelClaimed':
      return work === null
        ? state
        : { ...state, work: afterClaim(work, event.data), fence: event.data.fence, again: false }
    case 'ChannelClaimRenewed':
      return work?.status === 'running' ? { ...state, work: afterRenewal(work, event.data) } : state
    case 'ChannelReleased':
      return work?.status === 'running' ? { ...state, work: afterRelease(work) } : state
    case 'ChannelRested': {
      const rested = { ...state, work: null, again: false, nextAt: event.data.nextAt }
      return state.again ? woken(rested, event.data.at) : rested
    }
    default:
      return event satisfies never
  }
}
