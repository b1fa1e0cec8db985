import { z } from 'zod'
import { strictly, withFieldRules } from '../fields/field-rules.ts'
import { pageMeta } from '../http/paging.ts'
import { id, isoTime, plainText } from '../values/scalars.ts'
import { notification } from './notification.ts'
import { kindsInput, notificationKind, notificationSeverity } from './notification-kinds.ts'

export const channelType = z.enum(['WEBHOOK', 'SLACK', 'TEAMS', 'EMAIL', 'PAGERDUTY', 'OPSGENIE'])
export type ChannelType = z.infer<typeof channelType>
export const channelDigest = z.enum(['NONE', 'HOURLY', 'DAILY'])

const urlProblem = 'must be an http:// or https:// address without user name, password and fragment'
const receiverUrl = plainText(2_000).refine((text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return /^https?:$/.test(url?.protocol ?? '') && url?.username === '' && url.password === '' && url.hash === ''
}, urlProblem)

/**
 * Headers that a channel may not set. Assay sets the first ones itself. The others concern one connection, and setting
 * them would break the framing of the body.
 */
const reservedHeader =
  /^(webhook-.*|host|content-.*|connection|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/i
const headerName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be the name of a header')
  .refine((name) => !reservedHeader.test(name), 'must not be webhook-*, host, content-* or a header of the connection')
const headerValue = z
  .string()
  .max(2_000)
  .regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII text')
const headers = z
  .record(headerName, headerValue)
  .refine((of) => Object.keys(of).length <= 20, 'must have at most 20 headers')

const secretProblem = 'must be whsec_ and the base64 text of 24 to 64 bytes'
const webhookSecret = z.string().refine((text) => {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  if (encoded === undefined || encoded.length % 4 !== 0) return false
  const bytes = (encoded.length / 4) * 3 - (/=*$/.exec(encoded)?.[0].length ?? 0)
  return bytes >= 24 && bytes <= 64
}, secretProblem)

const token = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII text without spaces')
const mailAddress = z.email().max(254)

/** The configuration of a channel, by its type. Additional fields are refused. */
export const channelConfigurations = {
  WEBHOOK: z.strictObject({ url: receiverUrl, headers: headers.optional(), secret: webhookSecret.optional() }),
  SLACK: z.strictObject({ url: receiverUrl }),
  TEAMS: z.strictObject({ url: receiverUrl }),
  EMAIL: z.strictObject({ to: z.array(mailAddress).min(1).max(50) }),
  PAGERDUTY: z.strictObject({ routingKey: token, url: receiverUrl.optional() }),
  OPSGENIE: z.strictObject({ apiKey: token, url: receiverUrl.optional() }),
} as const satisfies Record<ChannelType, z.ZodType>

const settings = {
  enabled: z.boolean().nullish(),
  shared: z.boolean().nullish(),
  kinds: kindsInput.nullish(),
  minSeverity: notificationSeverity.nullish(),
  digest: channelDigest.nullish(),
}
const configuration = z.record(z.string(), z.unknown())
const name = plainText(200).min(1)

/** Unknown fields are refused, except those of a record that was read. */
const strict = {
  strict: true,
  also: ['id', 'state', 'stateReason', 'heldUntil', 'userName', 'createdAt', 'updatedAt'],
} as const

/** The configuration is checked by its type. */
export const newChannel = withFieldRules(z.object({ name, type: channelType, configuration, ...settings }), strict)
const change = z.object({
  name: name.nullish(),
  type: channelType.nullish(),
  configuration: configuration.nullish(),
  ...settings,
})
/** Fields that are absent keep their value, also within the configuration. */
export const channelChange = withFieldRules(change, strict)

export const notificationChannel = z
  .object({
    id,
    name: z.string(),
    type: channelType,
    /** Secrets are `***`. */
    configuration: z.record(z.string(), z.unknown()),
    enabled: z.boolean(),
    /** Whether it belongs to the tenant. Such a channel gets only what rules send to it. */
    shared: z.boolean(),
    /** The kinds of notifications that are sent. Null means all kinds. */
    kinds: z.array(notificationKind).nullable(),
    minSeverity: notificationSeverity.nullable(),
    digest: channelDigest,
    /** PAUSED after failed attempts in a row; UNSUBSCRIBED after the receiver answered 410. */
    state: z.enum(['ACTIVE', 'PAUSED', 'UNSUBSCRIBED']),
    stateReason: z.string().nullable(),
    /** The receiver asked to send nothing before this time (Retry-After of 429 or 503). Null if it did not. */
    heldUntil: isoTime.nullable(),
    userName: z.string(),
    createdAt: isoTime,
    updatedAt: isoTime,
  })
  .meta({ id: 'NotificationChannel' })
export type NotificationChannel = z.infer<typeof notificationChannel>
export const channelAnswer = z.object({ data: notificationChannel })
/** `secret`: the secret of a webhook, which only this answer shows. */
export const newChannelAnswer = channelAnswer.extend({ secret: z.string().optional() })
export const channelList = z.object({ data: z.array(notificationChannel), meta: pageMeta })

export const channelTest = z.object({
  data: z.object({
    delivered: z.boolean(),
    /** Status of the receiver's answer; null without an answer. */
    status: z.int().nullable(),
    latencyMs: z.int(),
    message: z.string(),
  }),
})
/** `count`: the notifications in the digest; 0 if nothing waits, and then nothing is sent. */
export const channelDigestAnswer = z.object({ data: z.object({ count: z.int(), deliveryId: z.string().nullable() }) })
export const rotation = strictly(z.object({ overlapSeconds: z.int().min(0).max(2_592_000).nullish() })).nullish()
export const rotatedSecret = z.object({ secret: z.string() })

export const deliveryStatus = z.enum(['PENDING', 'RETRYING', 'DELIVERED', 'PARKED'])

export const delivery = z
  .object({
    id: z.string(),
    /** Null if a rule sent it to a shared channel. */
    notificationId: id.nullable(),
    kind: notificationKind,
    status: deliveryStatus,
    attempts: z.array(
      z.object({
        at: isoTime,
        /** Status of the receiver's answer; null without an answer. */
        status: z.int().nullable(),
        latencyMs: z.int(),
        /** Never contains text that the receiver sent. */
        error: z.string().nullable(),
      }),
    ),
    nextAttemptAt: isoTime.nullable(),
    createdAt: isoTime,
    finishedAt: isoTime.nullable(),
  })
  .meta({ id: 'NotificationDelivery' })
export type DeliveryRecord = z.infer<typeof delivery>
export const deliveryAnswer = z.object({ data: delivery })
export const deliveryList = z.object({ data: z.array(delivery), meta: pageMeta })

/** The body of a webhook. `data`: the notification, with an absolute link. Its id is null if a rule sent it. */
export const channelMessage = z
  .object({
    type: notificationKind,
    timestamp: isoTime,
    data: notification.extend({ id: id.nullable(), severity: notificationSeverity, link: z.string() }),
  })
  .meta({ id: 'NotificationMessage' })
export type ChannelMessage = z.infer<typeof channelMessage>
