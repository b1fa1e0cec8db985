import { changesBetween, internalTopics, publicMessage, publicTopics } from '@assay/contracts'
import { eventOf, type RecordedEvent } from '@assay/event-store'
import type { Publication } from '@assay/message-bus'
import { figuresOf, type Incident, statusOf } from '../incidents/incident.ts'
import { policyRunsAggregate } from '../policy-runs/policy-runs.aggregate.ts'

/** The incident after an event; `undefined` if the event is of another kind. Pure. */
export function incidentOf(recorded: RecordedEvent): Incident | undefined {
  const { data } = eventOf(policyRunsAggregate, recorded)
  return 'incident' in data ? data.incident : undefined
}

/** The public message for an event of an incident of a policy. Pure. */
export function incidentMessages(recorded: RecordedEvent, policyId: number): Publication[] {
  const event = eventOf(policyRunsAggregate, recorded)
  if (!('incident' in event.data)) return []
  const { incident, before } = event.data
  const { id: incidentId, policyName, assets, verdict, count, openedAt, lastAt, executions, recovered } = incident
  const [asset] = assets
  const data = {
    ...{
      incidentId,
      policyId,
      policyName,
      assetId: asset?.id,
      assetUid: asset?.uid,
      status: statusOf(incident),
      verdict,
    },
    ...{ executionId: recovered?.executionId ?? executions.at(-1), count, openedAt, lastAt },
    changes: changesBetween(before, figuresOf(incident)),
  }
  const of = { key: `incident-${incidentId}`, subject: `incident/${incidentId}`, data }
  return [{ topic: publicTopics.executions, message: publicMessage('execution', recorded, of) }]
}

const ends = new Set(['IncidentRecovered', 'IncidentClosed'])

/**
 * The message for an event of an incident whose verdict depends on protected columns: only its end, and only for the
 * notification service, which resolves alerts from before the columns became protected. Pure.
 */
export function hiddenIncidentMessages(recorded: RecordedEvent, { id, assets }: Incident, policyId: number) {
  const [asset] = assets
  if (!ends.has(recorded.type) || asset === undefined) return []
  const data = { incidentId: id, policyId, assetId: asset.id }
  // The key has the tenant, because the topic keeps only the last message of each key.
  const of = { key: `${recorded.metadata.tenant}/${id}`, subject: `incident/${id}`, data }
  return [{ topic: internalTopics.incidentEnds, message: { ...publicMessage('execution', recorded, of), data } }]
}
