import { z } from 'zod'
import { strictly } from '../fields/field-rules.ts'
import { pageMeta } from '../http/paging.ts'
import { isTimeZone } from '../values/cron.ts'
import { id, isoTime, timeInput } from '../values/scalars.ts'
import { notificationKind } from './notification-kinds.ts'

const mutedKind = notificationKind.refine(
  (kind) => kind !== 'DIGEST' && kind !== 'TEST',
  'must not be DIGEST or TEST, which no mute holds. Without quiet hours in the settings, there is no DIGEST',
)

/** Exactly one of asset, policy and kind. A mute of an asset covers what lies below. */
export const notificationMuteRequest = strictly(
  z
    .object({
      assetId: id.optional(),
      policyId: id.optional(),
      kind: mutedKind.optional(),
      until: timeInput,
    })
    .refine(
      ({ assetId, policyId, kind }) => [assetId, policyId, kind].filter((each) => each !== undefined).length === 1,
      'must have exactly one of assetId, policyId, kind',
    ),
)

export const notificationMute = z
  .object({
    id,
    assetId: id.nullable(),
    policyId: id.nullable(),
    kind: notificationKind.nullable(),
    until: isoTime,
    createdAt: isoTime,
  })
  .meta({ id: 'NotificationMute' })
export type NotificationMute = z.infer<typeof notificationMute>
export const notificationMuteAnswer = z.object({ data: notificationMute })
export const notificationMuteList = z.object({ data: z.array(notificationMute), meta: pageMeta })

/** `HH:MM`, 24 hours. */
export const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 07:30')
const quietHours = z
  .object({ from: timeOfDay, to: timeOfDay })
  .refine(({ from, to }) => from !== to, 'must end at another time than it begins')

export const notificationSettings = z
  .object({
    /** IANA name. */
    timeZone: z.string(),
    /** In the time zone. `to` is exclusive, and may be on the next day. */
    quietHours: quietHours.nullable(),
    /** When daily digests of channels are sent, in the time zone. */
    digestAt: timeOfDay,
  })
  .meta({ id: 'NotificationSettings' })
export type NotificationSettings = z.infer<typeof notificationSettings>
export const notificationSettingsAnswer = z.object({ data: notificationSettings })

/** Absent fields stay. */
export const notificationSettingsChange = strictly(
  z.object({
    timeZone: z.string().refine(isTimeZone, 'must be a time zone such as Europe/Berlin').optional(),
    quietHours: quietHours.nullable().optional(),
    digestAt: timeOfDay.optional(),
  }),
)
