import type { KindPolicy, RunKind } from '../kinds/run-kind.ts'
import { refusalOfPart } from '../kinds/whole-only.ts'
import { type ArrivalPolicy, arrivalPolicy } from './definition.ts'
import { type FreshnessItem, freshnessItems } from './freshness-items.ts'
import { freshnessRequests } from './freshness-plan.ts'
import { judgeArrivalAgain } from './judge-again.ts'
import { judgeFreshness } from './judge-freshness.ts'
import { lookBacksOfNumbers } from './numbers.ts'
import { commonOf, keepFreshness } from './policy.ts'
import { arrivalRecords } from './records.ts'
import { freshnessSummary } from './summary.ts'
import { freshnessProblem } from './what-if-problem.ts'

const wholeTablesOnly = 'A freshness policy looks for the newest data of the whole table'

function policyOf(policy: ArrivalPolicy, ruleVersion: number): KindPolicy {
  const all = freshnessItems(policy, null)
  return {
    ...commonOf(
      policy,
      all.flatMap(({ columnName }) => columnName ?? []),
    ),
    reads: (selection) =>
      freshnessItems(policy, selection).map(({ id, columnName }) => ({
        ...{ itemId: id, side: 'ONE', sql: false, lookups: [] },
        columns: columnName === null ? [] : [columnName],
      })),
    hasItem: (itemId) => all.some(({ id }) => id === itemId),
    refusal: (request) =>
      refusalOfPart(
        all.map(({ id }) => id),
        request,
        wholeTablesOnly,
      ),
    step: (run, found) => (found.length === 0 ? freshnessRequests(policy, run) : []),
    lookBacks: (run) => {
      const items = freshnessItems(policy, run.itemSelection).filter(({ own }) => own?.thresholdConfig != null)
      return lookBacksOfNumbers(items, policy, run)
    },
    judge: (run, found, past) => judgeFreshness(policy, run, found, past),
    judgeAgain: (run, before) => {
      const hasClock = ({ maxAge, own }: FreshnessItem) => maxAge === null && own?.thresholdConfig == null
      const items = all.map((item) => ({ ...item, hasClock: hasClock(item) }))
      return judgeArrivalAgain(policy, items, run, before)
    },
    records: (run) => arrivalRecords(freshnessItems(policy, run.itemSelection), ruleVersion, run),
    summary: freshnessSummary,
  }
}

/** Freshness: compares the age of the newest data of a table with a limit. */
export const freshness: RunKind = {
  wholeTablesOnly,
  keep: keepFreshness,
  open: (kept) => {
    const opened = arrivalPolicy.parse(kept.definition)
    return (policyVersion) => policyOf(opened, policyVersion)
  },
  startsAfter: ['DATA'],
  whatIfProblem: (_changed, changes) => freshnessProblem(changes),
  hasDeadlines: () => true,
}
