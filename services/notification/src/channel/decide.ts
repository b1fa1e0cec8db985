import { AssayError } from '@assay/service-kit/errors'
import { type ClaimRequest, decideClaim, holds } from '@assay/work'
import type { Channel, ChannelEvent, ChannelSettings, ChannelState, SigningSecret } from './channel.ts'

type Owned = { channelId: number; owner: string; secrets: SigningSecret[] }
/** When the next digest is due; null without digests. */
type Digested = { digestAt: string | null }
export type ChannelCommand = { at: string } & (
  | ({ type: 'CreateChannel'; settings: ChannelSettings } & Owned & Digested)
  /** `resume`: the request enables the channel. */
  | ({ type: 'ChangeChannel'; settings: ChannelSettings; secrets: SigningSecret[]; resume: boolean } & Digested)
  /** `RequestDigest`: by a user, now. */
  | { type: 'RequestDigest' }
  | ({ type: 'ScheduleDigest' } & Digested)
  /** Something waits for a digest. If digests ended meanwhile, one more is due now. */
  | { type: 'CollectForDigest' }
  /** Does nothing before it is due. */
  | { type: 'BeginDigest' }
  /** `digest`: of `BeginDigest`. */
  | ({ type: 'FinishDigest'; digest: string } & Digested)
  | { type: 'RotateSecret'; sealed: string; overlapUntil: string }
  | ({ type: 'SealAgain' } & Pick<ChannelSettings, 'configuration'> & Pick<Owned, 'secrets'>)
  | { type: 'DeleteChannel' }
  /** `pauseAfter`: number of consecutive failures; `isGone`: the receiver wants no more messages. */
  | { type: 'FailAttempt'; reason: string; heldUntil: string | null; isGone: boolean; pauseAfter: number }
  | { type: 'SucceedAttempt' }
  | { type: 'Hold'; heldUntil: string }
  | { type: 'Wake' }
  /** Wakes it if its retry is due. */
  | { type: 'TakeDue' }
  | ({ type: 'Claim' } & ClaimRequest)
  | { type: 'RenewClaim'; until: string; fence: number }
  | { type: 'Release'; fence: number }
  /** Nothing is due now. */
  | { type: 'Rest'; fence: number; nextAt: string | null }
)

/** Maximum number of secrets that sign a message. */
const maxSecrets = 5

export const noSuchChannel = () => new AssayError('not-found', 'You have no such notification channel.')

/** Whether messages are sent to it. */
export const isActive = ({ enabled, state }: Pick<Channel, 'enabled' | 'state'>): boolean =>
  enabled && state === 'ACTIVE'

function wake(state: Channel, at: string): ChannelEvent[] {
  return state.work !== null && state.again ? [] : [{ type: 'ChannelWoken', data: { at } }]
}

function changed(state: Channel, command: Extract<ChannelCommand, { type: 'ChangeChannel' }>): ChannelEvent[] {
  const { at, settings, secrets, resume, digestAt } = command
  // A worker parks the waiting deliveries, or sends the parked ones. The last event is published, so that the audit can
  // wait for it.
  const events = wake(state, at)
  const isStopped = state.state !== 'ACTIVE' || (state.heldUntil !== null && state.heldUntil > at)
  if (resume && isStopped) events.push({ type: 'ChannelResumed', data: { at } })
  return [...events, { type: 'ChannelChanged', data: { ...settings, secrets, digestAt, at } }]
}

function failed(state: Channel, command: Extract<ChannelCommand, { type: 'FailAttempt' }>): ChannelEvent[] {
  const { at, heldUntil, reason, isGone, pauseAfter } = command
  const events: ChannelEvent[] = [{ type: 'ChannelAttemptFailed', data: { heldUntil, at } }]
  if (state.state !== 'ACTIVE') return events
  if (isGone) return [...events, { type: 'ChannelUnsubscribed', data: { reason, at } }]
  if (state.failures + 1 < pauseAfter) return events
  return [...events, { type: 'ChannelPaused', data: { reason, at } }]
}

/**
 * A digest that became due while another one was written stays due: its channel may have no digests any more, and nothing
 * else would send what was collected meanwhile.
 */
function digestSent({ digestAt, digestingSince }: Channel, { digestAt: next }: Digested): ChannelEvent {
  return { type: 'ChannelDigestSent', data: { digestAt: digestAt === digestingSince ? next : digestAt } }
}

/** Unlike other work, an outbox never fails because its workers died: its deliveries have limits of their own. */
function claim(state: Channel, command: Extract<ChannelCommand, { type: 'Claim' }>): ChannelEvent[] {
  if (state.work === null) return []
  const { worker, at, until } = command
  const granted = decideClaim(state.work, command)
  if (granted === 'taken') return []
  const data = granted === 'died' ? { worker, at, until, fence: state.fence + 1 } : granted
  return [{ type: 'ChannelClaimed', data }]
}

/** Throws `not-found` for a change of a missing channel. All other commands are idempotent. */
export function decide(command: ChannelCommand, state: ChannelState): ChannelEvent[] {
  const { at } = command
  if (command.type === 'CreateChannel') {
    const { channelId, owner, secrets, settings, digestAt } = command
    return state.status === 'none'
      ? [{ type: 'ChannelCreated', data: { ...settings, channelId, owner, secrets, digestAt, at } }]
      : []
  }
  if (state.status !== 'present') {
    if (/^(Change|Rotate|Delete|RequestDigest)/.test(command.type)) throw noSuchChannel()
    return []
  }
  switch (command.type) {
    case 'ChangeChannel':
      return changed(state, command)
    case 'RotateSecret': {
      const { sealed, overlapUntil } = command
      // Earlier rotations keep their overlaps, unless this one has none, because secrets have leaked.
      const valid = overlapUntil <= at ? [] : state.secrets.filter(({ until }) => until === null || until > at)
      const old = valid.map((each) => ({ ...each, until: each.until ?? overlapUntil }))
      const secrets = [{ sealed, until: null }, ...old].slice(0, maxSecrets)
      return [{ type: 'ChannelSecretRotated', data: { secrets, at } }]
    }
    case 'SealAgain': {
      const { configuration, secrets } = command
      return [{ type: 'ChannelSealedAgain', data: { configuration, secrets, at } }]
    }
    case 'DeleteChannel':
      return [{ type: 'ChannelDeleted', data: { at } }]
    case 'FailAttempt':
      return failed(state, command)
    case 'SucceedAttempt':
      return state.failures === 0 && state.heldSince === undefined
        ? []
        : [{ type: 'ChannelAttemptSucceeded', data: { at } }]
    case 'Hold':
      return [{ type: 'ChannelHeld', data: { heldUntil: command.heldUntil, at } }]
    case 'RequestDigest':
      return [{ type: 'ChannelDigestRequested', data: { at } }]
    case 'ScheduleDigest':
      return command.digestAt === state.digestAt
        ? []
        : [{ type: 'ChannelDigestScheduled', data: { digestAt: command.digestAt } }]
    case 'CollectForDigest': {
      const isDue = state.digestAt !== null && state.digestAt !== state.digestingSince
      return state.digest === 'NONE' && !isDue ? [{ type: 'ChannelDigestScheduled', data: { digestAt: at } }] : []
    }
    case 'BeginDigest':
      return state.digesting !== null || state.digestAt === null || state.digestAt > at
        ? []
        : [{ type: 'ChannelDigestBegun', data: { digest: `digest/${state.channelId}/${state.digests + 1}` } }]
    case 'FinishDigest':
      return state.digesting === command.digest ? [digestSent(state, command)] : []
    case 'Wake':
      return wake(state, at)
    case 'TakeDue':
      return state.nextAt !== null && state.nextAt <= at ? wake(state, at) : []
    case 'Claim':
      return claim(state, command)
    case 'RenewClaim': {
      const { until } = command
      return isHeld(state, command) ? [{ type: 'ChannelClaimRenewed', data: { at, until } }] : []
    }
    case 'Release':
      return isHeld(state, command) ? [{ type: 'ChannelReleased', data: { at } }] : []
    case 'Rest':
      return isHeld(state, command) ? [{ type: 'ChannelRested', data: { at, nextAt: command.nextAt } }] : []
    default:
      return command satisfies never
  }
}

function isHeld({ work }: Channel, { fence }: { fence: number }): boolean {
  return work !== null && holds(work, fence)
}
