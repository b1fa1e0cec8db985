import { type Clock, isoTime } from '@assay/service-kit'
import type { DueKind } from '@assay/work'
import type { RunStreams } from '../policy-runs/run-streams.ts'
import { snoozeDue } from './incident.documents.ts'

const context = { actor: 'system' }

/** Ends snoozes of incidents at their time. */
export function endedSnoozes({ streams, clock }: { streams: RunStreams; clock: Clock }): DueKind {
  return {
    kind: snoozeDue,
    async handle(tenant, policyId) {
      await streams.handle(tenant, policyId, { type: 'EndSnooze', at: isoTime(clock.now()) }, context)
      return true
    },
  }
}
