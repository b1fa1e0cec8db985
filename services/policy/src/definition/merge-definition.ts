import type { PolicyChange } from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'
import type { Definition } from '../policy/definition.ts'
import { mergeAnomaly } from './families/anomaly.ts'
import { mergeArrival } from './families/arrival.ts'
import { mergeBackfill } from './families/backfill.ts'
import { mergeDataDrift } from './families/data-drift.ts'
import { mergeReconciliation } from './families/reconciliation.ts'
import { mergeSchemaDrift } from './families/schema-drift.ts'
import { draftItems } from './merge-items.ts'
import { mergeRule } from './merge-rule.ts'
import { refusal } from './refusal.ts'

/**
 * Merges a request into a definition, as far as that is possible without the data. New parts have no number yet.
 * `before` has the targets of the result. Throws `invalid` naming the field, `unprocessable`. Pure except for the
 * cron's next date.
 */
export function mergeDefinition(before: Definition, sent: PolicyChange): Definition {
  const { type } = before
  if (type === 'DATA_QUALITY' && sent.family === 'quality') {
    const after = mergeRule(before, sent.rule)
    const items = sent.items === undefined ? before.items : draftItems(before.items, sent.items)
    if (items.length === 0) throw refusal('items', 'is needed: a data quality policy has at least one item')
    return { ...after, ...mergeBackfill(before.backfill, sent.rule.backfill), items }
  }
  if ((type === 'RECONCILIATION' || type === 'EQUALITY') && sent.family === 'reconciliation')
    return mergeReconciliation(mergeRule(before, sent.rule), sent)
  if (type === 'DATA_DRIFT' && sent.family === 'data-drift') return mergeDataDrift(mergeRule(before, sent.rule), sent)
  if (type === 'SCHEMA_DRIFT' && sent.family === 'schema-drift')
    return mergeSchemaDrift(mergeRule(before, sent.rule), sent)
  if ((type === 'PROFILE_ANOMALY' || type === 'AUTO_ANOMALY') && sent.family === 'anomaly')
    return mergeAnomaly(mergeRule(before, sent.rule), sent)
  if ((type === 'DATA_CADENCE' || type === 'DATA_FRESHNESS') && sent.family === 'cadence')
    return mergeArrival(mergeRule(before, sent.rule), sent)
  throw new AssayError('internal', `A change of a ${sent.family} policy was applied to one of type ${type}.`)
}
