import { z } from 'zod'
import { pageMeta } from '../http/paging.ts'
import { id, isoTime, optional, plainText, timeInput } from '../values/scalars.ts'

export const incidentStatus = z.enum(['OPEN', 'ACKNOWLEDGED', 'SNOOZED', 'RECOVERED', 'CLOSED'])

/** A change between the last successful run and the first alarm. It is not necessarily the cause. */
const incidentHint = z
  .object({
    kind: z.enum([
      'SCHEMA_CHANGED',
      'VOLUME_CHANGED',
      'FILES_CHANGED',
      'LINES_CHANGED',
      'POLICY_CHANGED',
      'OTHER_INCIDENT',
    ]),
    /** SAME: a table of the policy. UPSTREAM: a table that its view reads. ASSEMBLY: another table of its assembly. */
    relation: z.enum(['SAME', 'UPSTREAM', 'ASSEMBLY']),
    assetId: id,
    assetUid: z.string(),
    /** When the change was detected. */
    at: isoTime,
    text: z.string(),
  })
  .meta({ id: 'IncidentHint' })
export type IncidentHint = z.infer<typeof incidentHint>

/** Consecutive alarms of one policy, from the first run without success until a successful run. */
export const incidentRecord = z
  .object({
    /** The id of the run that opened it. */
    id,
    policyId: id,
    policyName: z.string(),
    /** The table of the policy. For two tables, the left one. */
    assetId: id,
    assetUid: z.string(),
    status: incidentStatus,
    /** The worst verdict so far; a FAILED run counts as ERRORED. */
    verdict: z.enum(['WARNING', 'ERRORED']),
    openedAt: isoTime,
    /** The end of its last run. */
    lastAt: isoTime,
    /** Number of its runs. */
    count: z.int().positive(),
    /** The ids of its runs, oldest first: the first one, and at most 19 of the newest. */
    executions: z.array(id),
    acknowledgedBy: z.string().nullable(),
    acknowledgedAt: isoTime.nullable(),
    snoozedUntil: isoTime.nullable(),
    assignee: z.string().nullable(),
    recoveredAt: isoTime.nullable(),
    closedBy: z.string().nullable(),
    closedAt: isoTime.nullable(),
    cause: z.string().nullable(),
    /** At most 20. */
    hints: z.array(incidentHint),
  })
  .meta({ id: 'Incident' })
export type IncidentRecord = z.infer<typeof incidentRecord>
export const incidentList = z.object({ data: z.array(incidentRecord), meta: pageMeta })

/** Absent fields stay. `snoozedUntil` null ends the snooze, `assignee` null or empty removes the assignee. */
export const incidentChange = z
  .object({
    acknowledged: optional(z.boolean()),
    snoozedUntil: timeInput.nullish(),
    assignee: plainText(256).nullish(),
    status: optional(z.literal('CLOSED')),
    /** Allowed only together with `status`. */
    cause: optional(plainText(2_000)),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    message: 'must have at least one of acknowledged, snoozedUntil, assignee and status',
  })
  .refine(({ status, cause }) => cause === undefined || status !== undefined, {
    path: ['cause'],
    message: 'requires status CLOSED',
  })
