import type { ItemRecord } from '@assay/contracts'
import type { MetricResult } from '@assay/data-engine'
import { meets, readCondition } from './comparison.ts'
import { ImpossibleDefinition } from './definition.ts'
import { compareExact, type Exact, exactHundred, exactOf, exactZero, parseExact, parseMeasured } from './exact.ts'
import { judgeByHistory, type Past } from './history.ts'
import { passingPercentage, shownPercentage } from './percentage.ts'
import type { TagResult } from './plan-item.ts'
import { readValue } from './read-value.ts'
import { hasOwnThreshold, judge, readThreshold, type Verdict } from './threshold.ts'
import { earlierBy, parseDuration, parseMoment } from './times.ts'

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

export interface JudgeItem {
  item: ItemRecord
  result: MetricResult | TagResult
  /** ISO 8601: ages are taken from here. */
  runStartedAt: string
  treatZeroRowsAsSuccess: boolean
  /** Of the same item in earlier runs, in any order; none: no run was before. */
  history?: readonly PastOutcome[]
}

/**
 * The verdict on one item. Row items: 100 x (scanned - failed) / scanned against the item's threshold. Measured values:
 * by `value.operator` (100 or 0, then against the threshold), else by the threshold on the number itself; for SQL_METRIC
 * a threshold of its own comes before the operator. An item with `isWarning` is WARNING at worst.
 */
export function judgeItem(input: JudgeItem): ItemOutcome {
  const outcome = evaluated(input)
  return input.item.isWarning && outcome.verdict === 'ERRORED' ? { ...outcome, verdict: 'WARNING' } : outcome
}

/** A definition that cannot be (it was stored before a rule of today) fails its own item, not the run. */
function evaluated(input: JudgeItem): ItemOutcome {
  try {
    return evaluate(input)
  } catch (error) {
    if (error instanceof ImpossibleDefinition)
      return { ...nothing, error: `${error.problem.path}: ${error.problem.message}` }
    throw error
  }
}

const nothing: ItemOutcome = {
  verdict: 'ERRORED',
  resultPercentage: null,
  rowsScanned: null,
  rowsFailed: null,
  value: null,
  error: null,
}

function evaluate({ item, result, runStartedAt, treatZeroRowsAsSuccess, history = [] }: JudgeItem): ItemOutcome {
  const past: Before = { history, now: Date.parse(runStartedAt), runStartedAt }
  switch (result.kind) {
    case 'tag':
      return byPercentage(nothing, allOrNothing(result.carried), item, past)
    case 'error':
      return { ...nothing, error: result.message }
    case 'rows': {
      const counts = { rowsScanned: result.scanned, rowsFailed: result.failed }
      if (result.scanned === 0) return zeroRows({ ...nothing, ...counts }, treatZeroRowsAsSuccess, 'no rows')
      return byPercentage({ ...nothing, ...counts }, passingPercentage(result.scanned, result.failed), item, past)
    }
    case 'value': {
      const base = { ...nothing, rowsScanned: result.scanned, value: result.value }
      if (result.value !== null) return byValue(base, result.value, item, past)
      return result.scanned === 0 ? zeroRows(base, treatZeroRowsAsSuccess, 'no value') : { ...base, error: 'no value' }
    }
    default:
      return result satisfies never
  }
}

function zeroRows(base: ItemOutcome, isSuccess: boolean, error: string): ItemOutcome {
  return isSuccess ? { ...base, verdict: 'SUCCESSFUL', resultPercentage: 100 } : { ...base, error }
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

function byPercentage(base: ItemOutcome, percentage: Exact, item: ItemRecord, before: Before): ItemOutcome {
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

const allOrNothing = (passes: boolean) => (passes ? exactHundred : exactZero)

function byValue(base: ItemOutcome, text: string, item: ItemRecord, before: Before): ItemOutcome {
  switch (item.measurementType) {
    case 'FRESHNESS_CHECK':
      return byAge(base, text, item, before)
    case 'SQL_METRIC':
      return hasOwnThreshold(item) ? byNumber(base, text, item, before) : byOperator(base, text, item, before)
    default:
      return byOperator(base, text, item, before)
  }
}

function byOperator(base: ItemOutcome, text: string, item: ItemRecord, before: Before): ItemOutcome {
  const comparison = readValue('AGGREGATES', item.value)
  const condition = readCondition(comparison)
  if (condition === undefined) return byNumber(base, text, item, before)
  const met = meets(text, condition) ?? meetsAsText(text, item)
  if (met !== undefined) return byPercentage(base, allOrNothing(met), item, before)
  const bound = condition.operator === 'BETWEEN' ? condition.min : condition.bound
  return { ...base, error: `The value '${text}' cannot be compared with '${bound.text}'.` }
}

/** MIN and MAX of a text column give text: a bound that looks like a number or a date is then text as well. */
function meetsAsText(text: string, item: ItemRecord): boolean | undefined {
  const isOfText = item.aggregateType === 'MIN' || item.aggregateType === 'MAX'
  if (!isOfText || item.measurementType === 'SQL_METRIC') return undefined
  if (parseMeasured(text) !== undefined || parseMoment(text) !== undefined) return undefined
  const condition = readCondition(readValue('AGGREGATES', item.value), textBound)
  return condition === undefined ? undefined : meets(text, condition)
}

const textBound = (operand: string | number) => ({ kind: 'text' as const, text: String(operand) })

/** 100 where the number meets the success side of the threshold, else 0. */
function byNumber(base: ItemOutcome, text: string, item: ItemRecord, before: Before): ItemOutcome {
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

function byAge(base: ItemOutcome, text: string, item: ItemRecord, before: Before): ItemOutcome {
  const newest = parseMoment(text)
  const start = parseMoment(before.runStartedAt)
  const maxAge = parseDuration(readValue('FRESHNESS_CHECK', item.value).maxAge)
  if (newest === undefined || start === undefined || maxAge === undefined)
    return { ...base, value: text, error: `The newest value '${text}' is no date or time.` }
  const oldest = BigInt(earlierBy(Number(start.micros / 1000n), maxAge)) * 1000n
  const outcome = { ...base, value: secondsText(start.micros - newest.micros) }
  return byPercentage(outcome, allOrNothing(compareExact(whole(newest.micros), whole(oldest)) >= 0), item, before)
}

const whole = (number: bigint): Exact => ({ numerator: number, denominator: 1n })

function secondsText(micros: bigint): string {
  const size = micros < 0n ? -micros : micros
  const fraction = String(size % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '')
  return `${micros < 0n ? '-' : ''}${size / 1_000_000n}${fraction === '' ? '' : `.${fraction}`}`
}
