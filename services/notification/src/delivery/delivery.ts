import { deliveryStatus, notificationKind, notificationSeverity } from '@assay/contracts'
import { z } from 'zod'
import { about, storedAbout } from '../notification/about.ts'

/** `status`: of the receiver's answer; null without an answer. */
const attempt = z.object({
  at: z.string(),
  status: z.int().nullable(),
  latencyMs: z.int(),
  error: z.string().nullable(),
})
export type Attempt = z.infer<typeof attempt>

/** The fixed part of a delivery. */
const requested = z.object({
  channelId: z.int(),
  /** Null if a rule sent it to a shared channel. */
  notificationId: z.int().nullable(),
  kind: notificationKind,
  severity: notificationSeverity,
  /** The owner of the channel needs the permission to read this. */
  about,
  /** The asset, as text. Messages of a channel with the same lane are sent one after the other. */
  lane: z.string(),
  /** The order within a lane. */
  order: z.string(),
  /** The message, the same in each attempt. Secrets and bad rows are added when it is sent. */
  body: z.string(),
  createdAt: z.string(),
  /** The row that waits for a digest of its channel, instead of being sent. Absent once it is parked by itself. */
  rowKey: z.string().optional(),
  /** The run whose first bad rows each attempt adds to the message. Absent: the message shows none. */
  badRowsOf: z.int().optional(),
})
export type RequestedDelivery = z.infer<typeof requested>

/** One message to one channel, with its attempts. */
export const delivery = requested.extend({
  status: deliveryStatus,
  /** Parked because its channel was paused. It is sent when the channel resumes. */
  parkedByPause: z.boolean(),
  /** The newest attempts. */
  attempts: z.array(attempt),
  /** Number of failed attempts since the request or the last replay. */
  failures: z.int(),
  /** When it was first attempted since the request or the last replay. Absent before, and in older documents. */
  triedSince: z.string().optional(),
  /** The addresses that took the message, while the mail server refuses others. Later attempts leave them out. */
  taken: z.array(z.string()).optional(),
  nextAttemptAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  /** The digest that contains it. */
  digest: z.string().optional(),
})
export type Delivery = z.infer<typeof delivery>
export type DeliveryState = { status: 'NONE' } | Delivery
export const noDelivery: DeliveryState = { status: 'NONE' }

/** Maximum number of stored attempts, including those of replays. */
const maxAttempts = 50

export type Outcome = 'DELIVERED' | 'RETRYING' | 'PARKED'
export type DeliveryEvent =
  | { type: 'DeliveryRequested'; data: RequestedDelivery }
  | {
      type: 'DeliveryAttempted'
      data: {
        attempt: Attempt
        outcome: Outcome
        nextAttemptAt: string | null
        finishedAt: string | null
        /** The receiver asked to wait, so it is no failed attempt. */
        isHeld?: true
        /** The addresses that took the message so far, if others did not. */
        taken?: readonly string[] | undefined
      }
    }
  /** Its channel was paused, unsubscribed, or disabled. `reason`: absent in older events. */
  | { type: 'DeliveryParked'; data: { at: string; reason?: string } }
  | { type: 'DeliveryDigested'; data: { digest: string; at: string } }
  /** The delivery is sent again, on request or because its channel was resumed. */
  | { type: 'DeliveryReplayed'; data: { at: string } }

export function evolve(state: DeliveryState, event: DeliveryEvent): DeliveryState {
  if (event.type === 'DeliveryRequested') {
    const open = { attempts: [], failures: 0, nextAttemptAt: event.data.createdAt, finishedAt: null }
    return { ...event.data, about: storedAbout(event.data), status: 'PENDING', parkedByPause: false, ...open }
  }
  if (state.status === 'NONE') return state
  switch (event.type) {
    case 'DeliveryAttempted': {
      const { attempt, outcome: status, nextAttemptAt, finishedAt, isHeld = false } = event.data
      const attempts = [...state.attempts, attempt].slice(-maxAttempts)
      const failures = status === 'DELIVERED' ? 0 : state.failures + (isHeld ? 0 : 1)
      const { rowKey: _, triedSince = attempt.at, taken: before, ...single } = state
      const taken = status === 'DELIVERED' ? [] : [...new Set([...(before ?? []), ...(event.data.taken ?? [])])]
      const after = { status, attempts, failures, triedSince, nextAttemptAt, finishedAt }
      return { ...single, ...after, ...(taken.length === 0 ? {} : { taken }), parkedByPause: false }
    }
    case 'DeliveryParked': {
      const { at, reason } = event.data
      const why = reason === undefined ? [] : [{ at, status: null, latencyMs: 0, error: reason }]
      const attempts = [...state.attempts, ...why].slice(-maxAttempts)
      return { ...state, attempts, status: 'PARKED', parkedByPause: true, nextAttemptAt: null, finishedAt: at }
    }
    case 'DeliveryDigested':
      return { ...state, digest: event.data.digest }
    case 'DeliveryReplayed': {
      const open = { failures: 0, nextAttemptAt: event.data.at, finishedAt: null }
      const { triedSince: _, ...untried } = state
      return { ...untried, status: 'PENDING', parkedByPause: false, ...open }
    }
    default:
      return event satisfies never
  }
}

export type DeliveryCommand =
  | { type: 'RequestDelivery'; delivery: RequestedDelivery }
  /** `nextAttemptAt`: null parks a failed delivery. */
  | {
      type: 'RecordAttempt'
      attempt: Attempt
      delivered: boolean
      nextAttemptAt: string | null
      taken?: readonly string[] | undefined
      at: string
    }
  /** The receiver asked to wait. The delivery is due at once, but its channel is held. */
  | { type: 'RecordHold'; attempt: Attempt; at: string }
  /** Only of a delivery that waits for a digest. */
  | { type: 'DigestDelivery'; digest: string; at: string }
  | { type: 'ParkDelivery'; reason: string; at: string }
  | { type: 'ReplayDelivery'; at: string }

/** All commands are idempotent. Replaying a delivery that waits for its retry sends it immediately. */
export function decide(command: DeliveryCommand, state: DeliveryState): DeliveryEvent[] {
  if (command.type === 'RequestDelivery')
    return state.status === 'NONE' ? [{ type: 'DeliveryRequested', data: command.delivery }] : []
  if (state.status === 'NONE') return []
  const isOpen = state.status === 'PENDING' || state.status === 'RETRYING'
  switch (command.type) {
    case 'RecordAttempt': {
      const { attempt, delivered, nextAttemptAt, taken, at } = command
      // It is part of a digest.
      if (state.digest !== undefined) return []
      // Its channel may have been paused during an attempt that succeeded.
      if (!isOpen && !(delivered && state.status === 'PARKED')) return []
      const outcome = delivered ? 'DELIVERED' : nextAttemptAt === null ? 'PARKED' : 'RETRYING'
      const finishedAt = outcome === 'RETRYING' ? null : at
      return [{ type: 'DeliveryAttempted', data: { attempt, outcome, nextAttemptAt, finishedAt, taken } }]
    }
    case 'RecordHold': {
      const { attempt, at: nextAttemptAt } = command
      const held = { outcome: 'RETRYING', nextAttemptAt, finishedAt: null, isHeld: true } as const
      return isOpen ? [{ type: 'DeliveryAttempted', data: { attempt, ...held } }] : []
    }
    case 'DigestDelivery': {
      const { digest, at } = command
      const waits = state.rowKey !== undefined && state.digest === undefined
      return waits ? [{ type: 'DeliveryDigested', data: { digest, at } }] : []
    }
    case 'ParkDelivery':
      return isOpen ? [{ type: 'DeliveryParked', data: { at: command.at, reason: command.reason } }] : []
    case 'ReplayDelivery':
      return state.status === 'PENDING' ? [] : [{ type: 'DeliveryReplayed', data: { at: command.at } }]
    default:
      return command satisfies never
  }
}
