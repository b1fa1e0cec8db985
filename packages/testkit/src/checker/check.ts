import { checkAudit } from './check-audit.ts'
import { checkDocuments } from './check-documents.ts'
import { checkEffects } from './check-effects.ts'
import { checkKeptEvents } from './check-kept-events.ts'
import { checkKeyUses } from './check-key-uses.ts'
import { checkLog } from './check-log.ts'
import { checkMessages } from './check-messages.ts'
import { checkRuns } from './check-runs.ts'
import type { Facts, Finding } from './facts.ts'

/**
 * Compares what clients were answered with the log, the topics and the read models: nothing lost, no doubled effect,
 * order kept by key, read models equal to a rebuild, each write audited, each public event kept, no run left open.
 * Empty if all of that holds. Pure.
 */
export function check(facts: Facts): Finding[] {
  return [
    ...checkLog(facts),
    ...checkMessages(facts),
    ...checkEffects(facts),
    ...checkDocuments(facts),
    ...checkAudit(facts),
    ...checkKeptEvents(facts),
    ...checkKeyUses(facts),
    ...checkRuns(facts),
    ...facts.parked.map((about): Finding => ({ kind: 'parked', about, passing: true })),
  ]
}
