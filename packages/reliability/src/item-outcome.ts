import type { ItemRecord } from '@assay/contracts'
import { writtenText } from './definition.ts'
import { type Exact, exactHundred, exactOf, exactZero, parseMeasured } from './exact.ts'
import { judgeByHistory } from './history.ts'
import type { LearnedData } from './kinds/judging.ts'
import { shownPercentage } from './percentage.ts'
import type { Figure } from './series/item-figures.ts'
import type { Range } from './series/judged-point.ts'
import type { History } from './series/look-back.ts'
import { judge, rangeOf, readThreshold, type Verdict } from './threshold.ts'

/** The outcome of one item in a run. */
export interface ItemOutcome {
  verdict: Verdict
  /** 0 to 100, four decimals; null if there is none. */
  resultPercentage: number | null
  rowsScanned: number | null
  rowsFailed: number | null
  /** The measured number (or newest age in seconds, or text of MIN and MAX) as exact text. */
  value: string | null
  /** Why the item could not be evaluated. */
  error: string | null
  /** Why the verdict rests on incomplete information. */
  note?: string
  /** Why the item is not measured by period, or not completely, although it learns usual values. */
  notBackfilled?: string
  /** Findings that only the kind of this policy reads. */
  detail?: LearnedData
}

/** An outcome with the range of the judged values that pass; absent if there is none. */
export interface RangedOutcome extends ItemOutcome {
  range?: Range
}

/** The history that a verdict may depend on. */
interface Before {
  history: (figure: Figure) => History
  runStartedAt: string
}

/** An item to judge, with its outcome so far. */
export interface Judged {
  item: ItemRecord
  base: ItemOutcome
  before: Before
}

/** An item to judge by one value, as exact text. */
export interface Found extends Judged {
  text: string
  /**
   * Whether the source stores the value as text. Then digits are not a number, because the source ordered them as text.
   */
  isText: boolean
}

/** The verdict on an exact percentage by the item's threshold. */
export function byPercentage(
  { item, base, before }: { item: Pick<ItemRecord, 'thresholdConfig'> } & Pick<Judged, 'base' | 'before'>,
  percentage: Exact,
): RangedOutcome {
  const read = readThreshold(item.thresholdConfig)
  if ('problem' in read) {
    return { ...base, resultPercentage: shownPercentage(percentage, () => true), error: read.problem }
  }
  if ('comparing' in read) {
    const compared = judgeByHistory(percentage, read.comparing, before.history('PERCENTAGE'), 'PERCENTAGE')
    return { ...base, ...compared, resultPercentage: shownPercentage(percentage, () => true) }
  }
  if (read.threshold.config.unit === 'ROWS') return byRows(base, percentage, read.threshold)
  const sideOf = (candidate: Exact) => judge(candidate, read.threshold)
  const range = rangeOf(read.threshold)
  return { ...base, verdict: sideOf(percentage), resultPercentage: shownPercentage(percentage, sideOf), range }
}

function byRows(base: ItemOutcome, percentage: Exact, limit: Parameters<typeof judge>[1]): ItemOutcome {
  if (base.rowsFailed === null) return { ...base, error: 'The threshold counts rows; this item counts none.' }
  const resultPercentage = shownPercentage(percentage, () => true)
  return { ...base, resultPercentage, verdict: judge(exactOf(base.rowsFailed), limit) }
}

export const allOrNothing = (passes: boolean) => (passes ? exactHundred : exactZero)

/** Why text cannot be judged as `other`. The sentence does not quote the value, which may be protected. */
export function textProblem({ item }: Found, other: string): string {
  const isOfColumn = item.columnName !== null && writtenText(item.ruleExpression) === undefined
  const what = isOfColumn ? `The column '${item.columnName}' holds text` : 'The expression gives text'
  return `${what} and cannot be compared with ${other}.`
}

/** 100 if the number is on the success side of the threshold, else 0. */
export function byNumber(found: Found): RangedOutcome {
  const { item, base, before, text, isText } = found
  const read = readThreshold(item.thresholdConfig)
  if ('problem' in read) return { ...base, error: read.problem }
  if (isText) return { ...base, error: textProblem(found, 'the numbers of a threshold') }
  const number = parseMeasured(text)
  if (number === undefined) return { ...base, error: `The value '${text}' is not a number.` }
  if ('comparing' in read) {
    if (typeof number === 'string')
      return { ...base, error: `The value '${text}' cannot be compared with earlier ones.` }
    const compared = judgeByHistory(number, read.comparing, before.history('NUMBER'), 'NUMBER')
    return { ...base, ...compared, resultPercentage: compared.verdict === 'SUCCESSFUL' ? 100 : 0 }
  }
  const verdict = judge(number, read.threshold)
  return { ...base, verdict, resultPercentage: verdict === 'SUCCESSFUL' ? 100 : 0, range: rangeOf(read.threshold) }
}
