import type { ComparisonFigures } from '@assay/contracts'
import type { EndedItem, ShownComparison } from '../kinds/run-kind.ts'
import { detailOf } from './detail.ts'
import type { IsHidden, Mapped } from './hidden-columns.ts'
import { maskedProof } from './proof.ts'

const figuresIn = (outcomes: readonly EndedItem[]): ComparisonFigures | null =>
  outcomes.flatMap((outcome) => detailOf(outcome)?.comparison ?? [])[0] ?? null

const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

/** The figures of a run's comparison. Everybody may see counts; values of hidden columns are left out. Pure. */
export function shownComparison(policy: Mapped, outcomes: readonly EndedItem[], isHidden: IsHidden): ShownComparison {
  const found = figuresIn(outcomes)
  if (found === null) return { figures: null, warnings: [] }
  const { proof, ...counts } = found
  const figures = proof === undefined ? counts : { ...counts, proof: maskedProof(proof, policy, isHidden) }
  const { leftDuplicateKeys, rightDuplicateKeys, leftNullKeys, rightNullKeys } = found
  const warnings = [
    ...duplicates('left', leftDuplicateKeys),
    ...duplicates('right', rightDuplicateKeys),
    ...nulls('left', leftNullKeys),
    ...nulls('right', rightNullKeys),
  ]
  return { figures, warnings }
}

const duplicates = (side: string, count: number) =>
  count === 0
    ? []
    : [`In the ${side} table, several rows have the same key (${plural(count, 'key', 'keys')}): they pair no rows.`]
const nulls = (side: string, count: number) =>
  count === 0 ? [] : [`In the ${side} table, the key of ${plural(count, 'row', 'rows')} has NULL.`]

/** `3 of 5 rows differ: 1 changed, 2 only on the left, 0 only on the right.` Pure. */
export function comparisonSummary(outcomes: readonly EndedItem[]): string {
  const found = figuresIn(outcomes)
  if (found === null) {
    const passed = outcomes.filter(({ verdict }) => verdict === 'SUCCESSFUL').length
    return `${passed} of ${plural(outcomes.length, 'item', 'items')} passed.`
  }
  const { equal, changed, onlyLeft, onlyRight, proof } = found
  if (proof?.kind === 'SCHEMA') {
    const names = (list: readonly string[]) => list.slice(0, 5).join(', ')
    const onOneSide = [
      ...(proof.left.length === 0 ? [] : [`only the left table has ${names(proof.left)}`]),
      ...(proof.right.length === 0 ? [] : [`only the right table has ${names(proof.right)}`]),
    ]
    return `The tables have different columns: ${onOneSide.join('; ')}.`
  }
  const differing = changed + onlyLeft + onlyRight
  if (equal + differing === 0) return 'Neither table has rows.'
  if (differing === 0) return `All ${plural(equal, 'row is', 'rows are')} equal.`
  const parts = `${changed} changed, ${onlyLeft} only on the left, ${onlyRight} only on the right`
  return `${differing} of ${plural(equal + differing, 'row differs', 'rows differ')}: ${parts}.`
}
