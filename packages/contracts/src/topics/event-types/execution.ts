import { z } from 'zod'
import { at, changes, type EventTypes, id } from './shapes.ts'

const verdict = z.enum(['SUCCESSFUL', 'WARNING', 'ERRORED'])

/** The run as it is after the event. */
const run = {
  executionId: id,
  policyId: id,
  policyName: z.string(),
  policyType: z.string(),
  policyVersion: z.int(),
  assetId: id,
  assetUid: z.string(),
  executionStatus: z.enum(['RUNNING', 'SUCCESSFUL', 'FAILED', 'ABORTED']),
  startedAt: at,
  finishedAt: at.nullable(),
  error: z.string().nullable(),
}
/** The verdict and the score are absent if they depend on protected columns. */
const judged = { resultStatus: z.string().optional(), qualityScore: z.number().nullable().optional() }
/** Absent like the verdict, and in older events. */
const summary = z.looseObject({
  items: z.int(),
  failedItems: z.int(),
  rows: z.int().nullable(),
  failedRows: z.int().nullable(),
  worst: z.looseObject({ name: z.string(), percent: z.number().nullable() }).nullable(),
})
const ofRun = (more: z.ZodRawShape = {}) => z.looseObject({ ...run, ...judged, ...more })

const profile = z.looseObject({
  profileId: id,
  assetId: id,
  assetUid: z.string(),
  profilingType: z.string(),
  status: z.enum(['IN_PROGRESS', 'SUCCESSFUL', 'FAILED', 'ABORTED']),
  rowCount: z.int().nullable(),
  requestedAt: at,
  finishedAt: at.nullable(),
  error: z.string().nullable(),
})
const ofProfile = (summary: string) => ({ entity: 'profile', summary, data: profile })

/** Incidents whose verdicts depend on protected columns are not published. */
const incident = z.looseObject({
  incidentId: id,
  policyId: id,
  policyName: z.string(),
  assetId: id,
  assetUid: z.string(),
  status: z.enum(['OPEN', 'ACKNOWLEDGED', 'SNOOZED', 'RECOVERED', 'CLOSED']),
  verdict: z.enum(['WARNING', 'ERRORED']),
  /** The run that opened the incident or changed it last. */
  executionId: id,
  count: z.int(),
  openedAt: at,
  lastAt: at,
  changes,
})
const ofIncident = (summary: string) => ({ entity: 'incident', summary, data: incident })

/** Types of the topic `assay.execution.executions`. */
export const executionEventTypes = {
  ExecutionAccepted: { entity: 'execution', summary: 'A run was accepted and begins.', data: ofRun() },
  ExecutionFinished: {
    entity: 'execution',
    summary: 'A run came to a verdict: `resultStatus`.',
    data: ofRun({ resultStatus: verdict.optional(), summary: summary.optional() }),
  },
  ExecutionFailed: {
    entity: 'execution',
    summary: 'A run could not be executed: `error` says why.',
    data: ofRun({ error: z.string() }),
  },
  ExecutionAborted: { entity: 'execution', summary: 'A run was cancelled.', data: ofRun() },
  FeedbackGiven: {
    entity: 'execution',
    summary: 'A user said whether a run judged correctly.',
    data: ofRun({ feedback: z.enum(['NORMAL', 'ANOMALY', 'NEW_NORMAL']), comment: z.string().nullable() }),
  },
  ProfileRequested: ofProfile('A profile was requested.'),
  ProfileSucceeded: ofProfile('A profile has figures.'),
  ProfileFailed: ofProfile('A profile could not be made.'),
  ProfileAborted: ofProfile('A profile was cancelled.'),
  IncidentOpened: ofIncident('An alarm opened an incident of a policy.'),
  IncidentWorsened: ofIncident('The verdict of an incident rose from WARNING to ERRORED.'),
  IncidentRecovered: ofIncident('A successful run ended an incident.'),
  IncidentAcknowledged: ofIncident('A user acknowledged an incident.'),
  IncidentAcknowledgementWithdrawn: ofIncident('A user withdrew an acknowledgement.'),
  IncidentSnoozed: ofIncident('A user snoozed an incident.'),
  IncidentSnoozeEnded: ofIncident('The snooze of an incident ended.'),
  IncidentAssigned: ofIncident('An incident has another assignee.'),
  IncidentClosed: ofIncident('A user closed an incident.'),
} satisfies EventTypes
