import type { KindPolicy, RunKind } from '../kinds/run-kind.ts'
import { boundVariables } from '../references.ts'
import { startRefusal } from '../start-refusal.ts'
import { measureOf, neededBy } from './cadence-figures.ts'
import { cadenceItems } from './cadence-items.ts'
import { type ArrivalPolicy, arrivalPolicy } from './definition.ts'
import { judgeArrivalAgain } from './judge-again.ts'
import { judgeCadence } from './judge-cadence.ts'
import { changeIn } from './learned.ts'
import { lookBacksOfNumbers } from './numbers.ts'
import { commonOf, keepCadence } from './policy.ts'
import { arrivalRecords } from './records.ts'
import { cadenceSummary } from './summary.ts'
import { cadenceProblem } from './what-if-problem.ts'

function policyOf(policy: ArrivalPolicy, ruleVersion: number): KindPolicy {
  const itemsOf = (selection: readonly number[] | null) => cadenceItems(policy, selection)
  const ids = itemsOf(null).map(({ id }) => id)
  return {
    ...commonOf(policy, []),
    // Counts and sizes reveal no value.
    reads: (selection) =>
      itemsOf(selection).map(({ id }) => ({ itemId: id, side: 'ONE', columns: [], sql: false, lookups: [] })),
    hasItem: (itemId) => ids.includes(itemId),
    refusal: (request) => startRefusal(request, { items: itemsOf(null), hasMarker: policy.marker !== undefined }),
    step(run, found) {
      if (found.length === 0) return [{ kind: 'LAST_CHANGE', side: 'ONE' }]
      if (found.some(({ kind }) => kind === 'MEASURE')) return []
      // The number of messages of a topic is known from its offsets. Counting rows would read all messages.
      const isTopic = typeof changeIn(found)?.messages === 'number'
      const counted = itemsOf(run.itemSelection).filter(({ own }) => own !== null || !isTopic)
      if (!counted.some(({ measurementType }) => neededBy(measurementType) === 'ROWS')) return []
      const sql = policy.filter?.trim() ?? ''
      const variables = boundVariables(run.sides[0].references.variables)
      const filter = sql === '' ? {} : { filter: { sql, variables } }
      return [{ kind: 'MEASURE', side: 'ONE', metrics: [], known: [], problems: new Map(), ...filter }]
    },
    lookBacks: (run) => {
      const items = itemsOf(run.itemSelection).filter(({ measurementType }) => measureOf(measurementType) !== undefined)
      return lookBacksOfNumbers(items, policy, run)
    },
    judge: (run, found, past) => judgeCadence(policy, run, found, past),
    judgeAgain: (run, before) => {
      const items = itemsOf(null).map((item) => ({ ...item, hasClock: measureOf(item.measurementType) === undefined }))
      return judgeArrivalAgain(policy, items, run, before)
    },
    records: (run) => arrivalRecords(itemsOf(run.itemSelection), ruleVersion, run),
    summary: cadenceSummary,
  }
}

/**
 * Cadence: compares the rows, bytes and files of a table, and the times at which its data arrives, with usual values.
 */
export const cadence: RunKind = {
  keep: keepCadence,
  open: (kept) => {
    const opened = arrivalPolicy.parse(kept.definition)
    return (policyVersion) => policyOf(opened, policyVersion)
  },
  startsAfter: ['DATA'],
  whatIfProblem: (_changed, changes) => cadenceProblem(changes),
  // Only the inferred items include one about the time of arrival.
  hasDeadlines: ({ details }) => details.items.length === 0,
}
