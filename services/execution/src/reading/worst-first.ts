import type { ItemOutcome } from '../execution/run.ts'

const isFailed = ({ verdict }: ItemOutcome): boolean => verdict !== 'SUCCESSFUL'

/**
 * The outcomes in the order in which people look at them: failed items first, those that could not be evaluated before
 * the lowest percentages. Pure.
 */
export function worstFirst(outcomes: readonly ItemOutcome[]): ItemOutcome[] {
  return outcomes.toSorted(
    (a, b) =>
      Number(isFailed(b)) - Number(isFailed(a)) ||
      (a.resultPercentage ?? -1) - (b.resultPercentage ?? -1) ||
      a.itemId - b.itemId,
  )
}
