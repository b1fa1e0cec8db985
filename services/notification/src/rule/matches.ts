import { severityRank } from '@assay/contracts'
import type { Filtered } from '../routing/alerting.ts'
import type { RuleSettings } from './rule.ts'

/** What rules know of the asset and the policy of a content. */
export interface RuleFacts {
  assemblyId: number | undefined
  /** Names. */
  tags: readonly string[]
  owners: readonly string[]
}

const meets = <T>(wanted: readonly T[] | undefined, had: readonly T[]) =>
  wanted === undefined || wanted.some((each) => had.includes(each))

/** Whether a rule's `when` fits: each field that it has, by any of its values. Pure. */
export function matches(
  { kinds, minSeverity, tags, assemblyIds, owners }: RuleSettings['when'],
  { kind, severity }: Filtered,
  facts: RuleFacts,
): boolean {
  const fitsSeverity = minSeverity === undefined || severityRank(severity) >= severityRank(minSeverity)
  const assembly = facts.assemblyId === undefined ? [] : [facts.assemblyId]
  return (
    fitsSeverity &&
    meets(kinds, [kind]) &&
    meets(assemblyIds, assembly) &&
    meets(tags, facts.tags) &&
    meets(owners, facts.owners)
  )
}
