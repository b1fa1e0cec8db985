import type { ItemRecord } from '@assay/contracts'
import { type Exact, exactHundred, exactOf, exactZero, parseExact, parseMeasured } from './exact.ts'
import { judgeByHistory, type Past } from './history.ts'
import { passingPercentage, shownPercentage } from './percentage.ts'
import { judge, readThreshold, type Verdict } from './threshold.ts'

/** What a run found out about one item. */
export interface ItemOutcome {
  verdict: Verdict
  /** 0 to 100, four decimals; null when there is none. */
  resultPercentage: number | null
  rowsScanned: number | null
  rowsFailed: number | null
  /** The measured number (or newest age in seconds, or text of MIN and MAX) as exact text. */
  value: string | null
  /** Why the item could not be evaluated. */
  error: string | null
  /** What there is to say of a verdict that was given without knowing enough. */
  note?: string
}

/** What an earlier run made of the item. */
export interface PastOutcome extends Pick<ItemOutcome, 'value' | 'resultPercentage' | 'rowsScanned' | 'rowsFailed'> {
  /** When its run began, epoch milliseconds. */
  at: number
}

/** What a verdict may be compared with. */
interface Before {
  history: readonly PastOutcome[]
  now: number
  runStartedAt: string
}

/** An item that is judged, with what is known of its outcome so far. */
export interface Judged {
  item: ItemRecord
  base: ItemOutcome
  before: Before
}

/** An item that is judged by one value: exact text. */
export interface Found extends Judged {
  text: string
}

/** What a verdict may be compared with. */
interface Before {
  history: readonly PastOutcome[]
  now: number
  runStartedAt: string
}

/** Exact where rows were counted. */
function pastPercentages({ history }: Before): Past[] {
  return history.flatMap(({ resultPercentage, rowsScanned, rowsFailed, at }) => {
    if (resultPercentage === null) return []
    const isCounted = rowsScanned !== null && rowsFailed !== null && rowsScanned > 0
    return [{ value: isCounted ? passingPercentage(rowsScanned, rowsFailed) : exactOf(resultPercentage), at }]
  })
}

function pastNumbers({ history }: Before): Past[] {
  return history.flatMap(({ value, at }) => {
    const number = value === null ? undefined : parseExact(value)
    return number === undefined ? [] : [{ value: number, at }]
  })
}

/** The verdict on an exact percentage by the item's threshold. */
export function byPercentage({ item, base, before }: Judged, percentage: Exact): ItemOutcome {
  const read = readThreshold(item.thresholdConfig)
  if ('problem' in read) {
    return { ...base, resultPercentage: shownPercentage(percentage, () => true), error: read.problem }
  }
  if ('comparing' in read) {
    const compared = judgeByHistory(percentage, read.comparing, pastPercentages(before), before.now)
    const shown = { ...base, resultPercentage: shownPercentage(percentage, () => true) }
    return 'note' in compared ? { ...shown, verdict: 'SUCCESSFUL', note: compared.note } : { ...shown, ...compared }
  }
  if (read.threshold.config.unit === 'ROWS') return byRows(base, percentage, read.threshold)
  const sideOf = (candidate: Exact) => judge(candidate, read.threshold)
  return { ...base, verdict: sideOf(percentage), resultPercentage: shownPercentage(percentage, sideOf) }
}

function byRows(base: ItemOutcome, percentage: Exact, limit: Parameters<typeof judge>[1]): ItemOutcome {
  if (base.rowsFailed === null) return { ...base, error: 'The threshold counts rows; this item counts none.' }
  const resultPercentage = shownPercentage(percentage, () => true)
  return { ...base, resultPercentage, verdict: judge(exactOf(base.rowsFailed), limit) }
}

export const allOrNothing = (passes: boolean) => (passes ? exactHundred : exactZero)

/** 100 where the number meets the success side of the threshold, else 0. */
export function byNumber({ item, base, before, text }: Found): ItemOutcome {
  const read = readThreshold(item.thresholdConfig)
  if ('problem' in read) return { ...base, error: read.problem }
  const number = parseMeasured(text)
  if (number === undefined) return { ...base, error: `The value '${text}' is no number.` }
  if ('comparing' in read) {
    if (typeof number === 'string')
      return { ...base, error: `The value '${text}' cannot be compared with earlier ones.` }
    const compared = judgeByHistory(number, read.comparing, pastNumbers(before), before.now)
    if ('note' in compared) return { ...base, verdict: 'SUCCESSFUL', resultPercentage: 100, note: compared.note }
    return { ...base, ...compared, resultPercentage: compared.verdict === 'SUCCESSFUL' ? 100 : 0 }
  }
  const verdict = judge(number, read.threshold)
  return { ...base, verdict, resultPercentage: verdict === 'SUCCESSFUL' ? 100 : 0 }
}
