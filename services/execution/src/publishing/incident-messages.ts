import { changesBetween, publicMessage, publicTopics } from '@assay/contracts'
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
