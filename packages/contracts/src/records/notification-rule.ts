import { z } from 'zod'
import { strictly, withFieldRules } from '../fields/field-rules.ts'
import { pageMeta } from '../http/paging.ts'
import { id, isoTime, plainText } from '../values/scalars.ts'
import { isPersonal, notificationKind, notificationSeverity } from './notification-kinds.ts'

const listOf = <T extends z.ZodType>(of: T) => z.array(of).min(1).max(100)
/** All fields that it has must fit, each by any of its values. Empty: everything. */
const when = z.strictObject({
  kinds: listOf(notificationKind).exactOptional(),
  minSeverity: notificationSeverity.exactOptional(),
  /** Names of tags of the asset, of its table, or of the policy. */
  tags: listOf(plainText(200).min(1)).exactOptional(),
  assemblyIds: listOf(id).exactOptional(),
  /** Owners in the settings of the asset, or of the nearest one above that has owners. */
  owners: listOf(plainText(200).min(1)).exactOptional(),
})
const settings = {
  name: plainText(200).min(1),
  enabled: z.boolean(),
  when,
  /** Ids of shared channels. */
  channelIds: listOf(id),
}

const notSent = 'is not sent by rules, because it concerns one user'
/** Settings in requests. Stored rules may be older than these conditions. */
const input = {
  name: plainText(200).trim().min(1, 'must not be empty'),
  enabled: z.boolean(),
  when: when.extend({
    kinds: listOf(notificationKind.refine((kind) => !isPersonal(kind), notSent)).exactOptional(),
  }),
  channelIds: settings.channelIds.refine((ids) => new Set(ids).size === ids.length, 'must name each channel once'),
}
const newRule = z.object({ ...input, enabled: input.enabled.default(true), when: input.when.default({}) })
export const newNotificationRule = strictly(newRule)
/** Fields of the record that requests may send back, without effect. */
const also = ['missingChannelIds', 'userName', 'createdAt', 'updatedAt']
/** Absent fields keep their value. `when` is replaced as a whole. */
export const notificationRuleChange = withFieldRules(z.object(input).partial(), { strict: true, also: ['id', ...also] })

export const notificationRule = z
  .object({
    id,
    ...settings,
    /** Those of `channelIds` that were deleted or are no longer shared: nothing is sent to them. */
    missingChannelIds: z.array(id),
    userName: z.string(),
    createdAt: isoTime,
    updatedAt: isoTime,
  })
  .meta({ id: 'NotificationRule' })
export type NotificationRule = z.infer<typeof notificationRule>
export const notificationRuleAnswer = z.object({ data: notificationRule })
export const notificationRuleList = z.object({ data: z.array(notificationRule), meta: pageMeta })

/** A rule to try, or a stored one as it was read. */
const triedRule = withFieldRules(newRule.extend({ id: id.optional(), name: input.name.default('a rule') }), {
  strict: true,
  also,
})

/** A notification that would be sent. */
export const dryRunRequest = strictly(
  z
    .object({
      kind: notificationKind,
      /** Default: that of the kind, and of the policy. */
      severity: notificationSeverity.optional(),
      /** Requires ASSET_VIEW. */
      assetId: id.optional(),
      /** Requires POLICY_VIEW, and ASSET_VIEW for the asset of the policy. */
      policyId: id.optional(),
      /** Only for CRAWL_FAILED. */
      assemblyId: id.optional(),
      /** Rules to try instead of the stored ones. */
      rules: z.array(triedRule).max(500).optional(),
    })
    .refine(
      ({ kind, assetId, policyId }) => kind !== 'CRAWL_FAILED' || (assetId === undefined && policyId === undefined),
      'must have assemblyId instead of assetId and policyId: CRAWL_FAILED concerns an assembly',
    )
    .refine(
      ({ kind, assemblyId }) => kind === 'CRAWL_FAILED' || assemblyId === undefined,
      'must have assetId or policyId instead of assemblyId: only CRAWL_FAILED concerns an assembly',
    ),
)

export const dryRunRoute = z
  .object({
    /** The user; null for a shared channel. */
    recipient: z.string().nullable(),
    /** Null for a channel of another user. */
    channelId: id.nullable(),
    /** Null for a channel of another user. */
    channelName: z.string().nullable(),
    because: z.object({
      /** INCIDENT: channels of PagerDuty and Opsgenie send all incidents that their owner may read. */
      type: z.enum(['WATCH', 'RULE', 'MENTION', 'INCIDENT']),
      /** Absent for the settings of a policy or an asset, which act as a rule. */
      ruleId: id.optional(),
      watchId: id.optional(),
    }),
    /** Why it would not be sent now. */
    /** A PAUSED or UNSUBSCRIBED channel parks the message until it is enabled again. */
    heldBy: z.enum(['MUTE', 'QUIET_HOURS', 'PAUSED', 'UNSUBSCRIBED']).nullable(),
  })
  .meta({ id: 'NotificationRoute' })
export type DryRunRoute = z.infer<typeof dryRunRoute>
export const dryRunAnswer = z.array(dryRunRoute)
