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
 * Compares the answers that clients got with the log, the topics and the read models. Returns no problems if nothing is
 * lost, no effect happened twice, order is kept by key, read models equal a rebuild, each write is audited, each public
 * event is kept, and no run is left open. Pure.
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
    ...facts.parked.map((about): Finding => ({ kind: 'parked', about, isTransient: true })),
  ]
}
