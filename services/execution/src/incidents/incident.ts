import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'

/** Maximum number of runs that an incident names: the first, and the newest ones. */
const runsKept = 20

const actionOf = z.object({ by: z.string(), at: z.string() })

/**
 * Consecutive alarms of one policy. `id`: the run that opened it. `verdict`: the worst so far. Times are ISO 8601
 * UTC.
 */
export const incident = z.object({
  id: z.int(),
  policyName: z.string(),
  /** The tables of the run that opened it. */
  assets: z.array(z.object({ id: z.int(), uid: z.string() })),
  verdict: z.enum(['WARNING', 'ERRORED']),
  openedAt: z.string(),
  /** The end of its last run. */
  lastAt: z.string(),
  /** Number of its runs. */
  count: z.int(),
  /** The first and the newest of its runs, oldest first. */
  executions: z.array(z.int()),
  /** The last successful run before it. */
  lastGood: z.int().nullable(),
  acknowledged: actionOf.nullable(),
  snoozedUntil: z.string().nullable(),
  assignee: z.string().nullable(),
  /** The successful run that ended it. */
  recovered: z.object({ executionId: z.int(), at: z.string() }).nullable(),
  closed: actionOf.extend({ cause: z.string().nullable() }).nullable(),
})
export type Incident = z.infer<typeof incident>

/**
 * Each event has the incident after it, so its document derives from the event alone. `before`: null if it
 * opened.
 */
export interface IncidentEvent {
  type:
    | 'IncidentOpened'
    | 'IncidentContinued'
    | 'IncidentWorsened'
    | 'IncidentRecovered'
    | 'IncidentAcknowledged'
    | 'IncidentAcknowledgementWithdrawn'
    | 'IncidentSnoozed'
    | 'IncidentSnoozeEnded'
    | 'IncidentAssigned'
    | 'IncidentClosed'
  data: { incident: Incident; before: IncidentFigures | null }
}

/** Type aliases of events fit JSON; interfaces do not. */
export type IncidentFigures = {
  status: IncidentStatus
  verdict: Incident['verdict']
  acknowledgedBy: string | null
  snoozedUntil: string | null
  assignee: string | null
  cause: string | null
}

/** A run that ended. `verdict`: RUNNING and ABORTED count as none. */
export interface JudgedRun {
  executionId: number
  finishedAt: string
  resultStatus: 'RUNNING' | 'SUCCESSFUL' | 'WARNING' | 'ERRORED' | 'ABORTED'
  policyName: string
  assets: readonly { id: number; uid: string }[]
}

/** A change by a person; absent fields stay. `snoozedUntil` null ends the snooze. */
export interface IncidentChange {
  acknowledged?: boolean | undefined
  snoozedUntil?: string | null | undefined
  assignee?: string | null | undefined
  closed?: { cause: string | null } | undefined
}

/** Whether the next runs belong to it. */
export function isOpen({ recovered, closed }: Incident): boolean {
  return recovered === null && closed === null
}

export type IncidentStatus = 'OPEN' | 'ACKNOWLEDGED' | 'SNOOZED' | 'RECOVERED' | 'CLOSED'
export function statusOf({ recovered, closed, snoozedUntil, acknowledged }: Incident): IncidentStatus {
  if (closed !== null) return 'CLOSED'
  if (recovered !== null) return 'RECOVERED'
  if (snoozedUntil !== null) return 'SNOOZED'
  return acknowledged === null ? 'OPEN' : 'ACKNOWLEDGED'
}

/** The change that the end of a run causes. `latest`: the policy's latest incident, `lastGood`: its last successful run. */
export function afterRun(latest: Incident | null, run: JudgedRun, lastGood: number | null): IncidentEvent[] {
  const { executionId, finishedAt: at, resultStatus, policyName } = run
  const open = latest !== null && isOpen(latest) ? latest : null
  switch (resultStatus) {
    case 'RUNNING':
    case 'ABORTED':
      return []
    case 'SUCCESSFUL':
      if (open === null) return []
      return [recorded('IncidentRecovered', open, { snoozedUntil: null, recovered: { executionId, at } })]
    case 'WARNING':
    case 'ERRORED': {
      if (open === null) {
        const incident = opened(run, resultStatus, lastGood)
        return [{ type: 'IncidentOpened', data: { incident, before: null } }]
      }
      const isWorse = open.verdict === 'WARNING' && resultStatus === 'ERRORED'
      const verdict = isWorse ? resultStatus : open.verdict
      const [first = executionId, ...others] = open.executions
      const executions = [first, ...[...others, executionId].slice(1 - runsKept)]
      const next = { policyName, verdict, lastAt: at, count: open.count + 1, executions }
      return [recorded(isWorse ? 'IncidentWorsened' : 'IncidentContinued', open, next)]
    }
    default:
      return resultStatus satisfies never
  }
}

function recorded(type: IncidentEvent['type'], former: Incident, fields: Partial<Incident>): IncidentEvent {
  return { type, data: { incident: { ...former, ...fields }, before: figuresOf(former) } }
}

/** The fields of an incident that events publish before and after a change. */
export function figuresOf(incident: Incident): IncidentFigures {
  const { verdict, acknowledged, snoozedUntil, assignee, closed } = incident
  const status = statusOf(incident)
  return {
    ...{ status, verdict, acknowledgedBy: acknowledged?.by ?? null, snoozedUntil, assignee },
    cause: closed?.cause ?? null,
  }
}

function opened(run: JudgedRun, verdict: Incident['verdict'], lastGood: number | null): Incident {
  const { executionId: id, finishedAt: openedAt, policyName, assets } = run
  return {
    ...{
      id,
      policyName,
      assets: [...assets],
      verdict,
      openedAt,
      lastAt: openedAt,
      count: 1,
      executions: [id],
      lastGood,
    },
    ...{ acknowledged: null, snoozedUntil: null, assignee: null, recovered: null, closed: null },
  }
}

/**
 * The events of a change. Repeating a change gives none. Throws `invalid` for a snooze into the past, `unprocessable`
 * for a change of an incident that has ended; one that has only recovered can be closed.
 */
export function changed(of: Incident, change: IncidentChange, { by, at }: { by: string; at: string }): IncidentEvent[] {
  const events: IncidentEvent[] = []
  let now = of
  const record = (type: IncidentEvent['type'], fields: Partial<Incident>) => {
    events.push(recorded(type, now, fields))
    now = { ...now, ...fields }
  }
  const { acknowledged, snoozedUntil, assignee, closed } = change
  if (acknowledged === true && now.acknowledged === null) record('IncidentAcknowledged', { acknowledged: { by, at } })
  if (acknowledged === false && now.acknowledged !== null)
    record('IncidentAcknowledgementWithdrawn', { acknowledged: null })
  if (snoozedUntil !== undefined && snoozedUntil !== now.snoozedUntil) {
    if (snoozedUntil !== null && snoozedUntil <= at)
      throw new AssayError('invalid', 'snoozedUntil: must be in the future.')
    record(snoozedUntil === null ? 'IncidentSnoozeEnded' : 'IncidentSnoozed', { snoozedUntil })
  }
  if (assignee !== undefined && assignee !== now.assignee) record('IncidentAssigned', { assignee })
  if (events.length > 0 && !isOpen(of)) throw ended(of)
  if (closed === undefined) return events
  if (now.closed === null) record('IncidentClosed', { snoozedUntil: null, closed: { by, at, ...closed } })
  else if (closed.cause !== null && closed.cause !== now.closed.cause) throw ended(of)
  return events
}

function ended({ id, closed }: Incident): AssayError {
  const message = closed === null ? 'has recovered; it can only be closed' : 'is closed'
  return new AssayError('unprocessable', `Incident ${id} ${message}.`)
}

/** Ends a snooze at its time. */
export function afterSnooze(of: Incident | null, at: string): IncidentEvent[] {
  if (of === null || of.snoozedUntil === null || of.snoozedUntil > at) return []
  return [recorded('IncidentSnoozeEnded', of, { snoozedUntil: null })]
}
