import { z } from 'zod'
import { linkOfExecution, linkOfIncident } from './links.ts'
import { runSummary, summaryText } from './run-summary.ts'
import type { WatchedContent } from './trigger.ts'

const ofExecution = z.object({
  executionId: z.int(),
  policyId: z.int(),
  policyName: z.string(),
  policyType: z.string(),
  assetId: z.int(),
  assetUid: z.string(),
  /** Absent where it depends on protected columns. */
  resultStatus: z.string().optional(),
  error: z.string().nullable(),
  summary: runSummary.optional(),
})
const ofFeedback = ofExecution.extend({ feedback: z.string(), comment: z.string().nullish() })
const ofIncident = z.object({
  incidentId: z.int(),
  policyId: z.int(),
  policyName: z.string(),
  assetId: z.int(),
  assetUid: z.string(),
  verdict: z.string(),
  executionId: z.int().nullish(),
  count: z.int(),
})

type Run = z.infer<typeof ofExecution>

function aboutRun({ executionId, policyId, policyType, assetId }: Run, at: string) {
  return { assetId, policyId, executionId, link: linkOfExecution(policyType, executionId), at }
}

/** What failed, if everybody may know it; else `otherwise`. */
function textOf({ policyName, summary }: Run, otherwise: string): string {
  return summary === undefined ? otherwise : summaryText(policyName, summary)
}

/**
 * The end of a run. A recovery reaches only the recipients that were notified of the alarm before it. Throws a ZodError
 * if the data does not match. Pure.
 */
export function ofExecutionEnd(data: unknown, at: string): WatchedContent[] {
  const run = ofExecution.parse(data)
  const about = aboutRun(run, at)
  const title = `${run.policyName} on ${run.assetUid}`
  if (run.error !== null)
    return [{ ...about, kind: 'EXECUTION_FAILED', title: `${title} could not be run`, text: run.error }]
  switch (run.resultStatus) {
    case 'WARNING':
      return [
        {
          ...about,
          kind: 'EXECUTION_WARNING',
          title: `${title}: warning`,
          text: textOf(run, 'The policy ended with a warning.'),
        },
      ]
    case 'ERRORED':
      return [
        {
          ...about,
          kind: 'EXECUTION_ERRORED',
          title: `${title}: failed`,
          text: textOf(
            run,
            'The verdict is ERRORED. The result of the run says which items failed or could not be evaluated, and why.',
          ),
        },
      ]
    case 'SUCCESSFUL':
      return [
        {
          ...about,
          kind: 'EXECUTION_RECOVERED',
          title: `${title} recovered`,
          text: 'The policy is SUCCESSFUL again.',
        },
      ]
    default:
      return []
  }
}

const meanings: ReadonlyMap<string, string> = new Map([
  ['NORMAL', 'normal'],
  ['ANOMALY', 'an anomaly'],
  ['NEW_NORMAL', 'the new normal'],
])

/** Feedback on points of a run. Throws a ZodError if the data does not match. Pure. */
export function ofFeedbackGiven(data: unknown, at: string, actor: string): WatchedContent[] {
  const run = ofFeedback.parse(data)
  const what = `${actor} called a result of ${run.policyName} on ${run.assetUid} ${meanings.get(run.feedback) ?? run.feedback}`
  return [{ ...aboutRun(run, at), kind: 'FEEDBACK_GIVEN', title: what, text: run.comment ?? `${what}.` }]
}

/**
 * A change of an incident. Closing it resolves its alerts, and notifies nobody else. Throws a ZodError if the data does
 * not match. Pure.
 */
export function ofIncidentEvent(
  change: 'OPENED' | 'WORSENED' | 'RECOVERED' | 'CLOSED',
  data: unknown,
  at: string,
): WatchedContent[] {
  const { incidentId, policyId, policyName, assetId, assetUid, verdict, executionId, count } = ofIncident.parse(data)
  const severity = verdict === 'WARNING' ? ('WARNING' as const) : ('ERROR' as const)
  const about = {
    ...{ assetId, policyId, executionId: executionId ?? null, link: linkOfIncident(incidentId), at },
    incident: { id: incidentId, severity },
  }
  const title = `Incident ${incidentId} of ${policyName} on ${assetUid} ${change.toLowerCase()}`
  const runs = `${count} ${count === 1 ? 'run' : 'runs'}`
  switch (change) {
    case 'OPENED': {
      const text = `The verdict is ${verdict}. Acknowledge the incident when you look into it.`
      return [{ ...about, kind: 'INCIDENT_OPENED', severity, title, text }]
    }
    case 'WORSENED':
      return [
        { ...about, kind: 'INCIDENT_WORSENED', severity, title, text: `The verdict is ${verdict} after ${runs}.` },
      ]
    case 'RECOVERED': {
      const text = `The policy is SUCCESSFUL again, after ${runs} without success.`
      return [{ ...about, kind: 'INCIDENT_RECOVERED', title, text }]
    }
    case 'CLOSED': {
      const incident = { ...about.incident, isClosed: true }
      return [{ ...about, incident, kind: 'INCIDENT_RECOVERED', title, text: `Closed after ${runs} without success.` }]
    }
    default:
      return change satisfies never
  }
}
