import { type AggregateFunction, isNumeric, isTemporal, type MetricResult, parseType } from '@assay/data-engine'
import type { PlannedColumn } from '../../definition.ts'
import { compareExact, exactHundred, exactZero, parseExact } from '../../exact.ts'
import { passingPercentage } from '../../percentage.ts'
import { parseInstant } from '../../times.ts'
import type { ComparisonPolicy } from '../definition.ts'
import { isWithin } from './custom.ts'
import type { AskedMetric, Measure, MeasuredSides, Side } from './measure.ts'

/**
 * The figures of a column. Sums of floats depend on the order of rows, so a relative difference of 10^-9 is accepted.
 */
const figures = ['count', 'distinct', 'min', 'max', 'sum', 'minLength', 'maxLength', 'lengths'] as const
type Figure = (typeof figures)[number]

const roleOf = (key: string, figure: Figure) => `${figure} ${key}`

function metricOf(figure: Figure, column: string): AskedMetric['metric'] {
  const aggregate = (fn: AggregateFunction) => (id: number) => ({ kind: 'aggregate' as const, id, fn, column })
  const ofLength = (fn: AggregateFunction) => (id: number) => ({ ...aggregate(fn)(id), ofLengths: true })
  switch (figure) {
    case 'count':
      return aggregate('COUNT')
    case 'distinct':
      return (id) => ({ kind: 'distinct', id, column })
    case 'min':
      return aggregate('MIN')
    case 'max':
      return aggregate('MAX')
    case 'sum':
      return aggregate('SUM')
    case 'minLength':
      return ofLength('MIN')
    case 'maxLength':
      return ofLength('MAX')
    case 'lengths':
      return ofLength('SUM')
    default:
      return figure satisfies never
  }
}

/** Maximum number of messages per side in an outcome. */
const maxMessages = 5

/** The figures that a column of this type has. */
function figuresOf(dataType: string): readonly Figure[] {
  const type = parseType(dataType)
  if (isNumeric(type)) return ['count', 'distinct', 'min', 'max', 'sum']
  if (type.kind === 'text') return ['count', 'distinct', 'min', 'max', 'minLength', 'maxLength', 'lengths']
  return isTemporal(type) ? ['count', 'distinct', 'min', 'max'] : ['count', 'distinct']
}

const sumTolerance = { absolute: exactZero, relative: { numerator: 1n, denominator: 1_000_000_000n } }

/** Whether two texts of a figure have the same value. Pure. */
export function isSameFigure(figure: string, left: string | null, right: string | null, isText: boolean): boolean {
  if (left === null || right === null || isText) return left === right
  const [one, other] = [parseExact(left), parseExact(right)]
  if (one !== undefined && other !== undefined)
    return figure === 'sum' ? isWithin(one, other, sumTolerance) : compareExact(one, other) === 0
  const [at, otherAt] = [parseInstant(left), parseInstant(right)]
  return at !== undefined && otherAt !== undefined ? at.micros === otherAt.micros : left === right
}

/** The text of an answer; `undefined` if there is none. */
function textOf(found: MetricResult | undefined): { text: string | null; isText: boolean } | undefined {
  if (found?.kind === 'rows') return { text: String(found.scanned - found.failed), isText: false }
  return found?.kind === 'value' ? { text: found.value, isText: found.isText === true } : undefined
}

/** A column of one side whose figures are compared with those of the column with the same key on the other side. */
interface KeyedColumn {
  key: string
  column: string
}

/** The columns of one side by their left names. Without mappings, all columns. */
function columnsOf({ mappings }: ComparisonPolicy, side: Side, columns: readonly PlannedColumn[]): KeyedColumn[] {
  if (mappings.length === 0) return columns.map(({ name }) => ({ key: name, column: name }))
  return mappings.map(({ leftColumnName, rightColumnName }, index) => ({
    key: `${index}`,
    column: side === 'left' ? leftColumnName : rightColumnName,
  }))
}

/** The text of a figure. For `count` it is the number of NULLs. */
function shownOf(found: MeasuredSides, side: Side, role: string, figure: Figure) {
  const answer = textOf(found.result(side, role))
  if (figure !== 'count' || answer?.text == null) return answer
  return { ...answer, text: String(found.rows[side] - Number(answer.text)) }
}

const agrees = (found: MeasuredSides, key: string) =>
  figures.every((figure) => {
    const role = roleOf(key, figure)
    const [left, right] = [shownOf(found, 'left', role, figure), shownOf(found, 'right', role, figure)]
    if (left === undefined || right === undefined) return left === right
    return isSameFigure(figure, left.text, right.text, left.isText || right.isText)
  })

/** The error that the engine reported on a side instead of figures. */
function problemsOf(found: MeasuredSides, keys: readonly string[], side: Side): string {
  const messages = keys.flatMap((key) =>
    figures.flatMap((figure) => {
      const answer = found.result(side, roleOf(key, figure))
      return answer?.kind === 'error' ? [answer.message] : []
    }),
  )
  return [...new Set(messages)].slice(0, maxMessages).join(' ')
}

/** The share of columns whose figures agree. */
export const profile: Measure = {
  compares: null,
  needsRows: true,
  asks: (_item, policy, side, columns) =>
    columnsOf(policy, side, columns).flatMap(({ key, column }) => {
      const dataType = columns.find(({ name }) => name === column)?.dataType ?? ''
      return figuresOf(dataType).map((figure) => ({ role: roleOf(key, figure), metric: metricOf(figure, column) }))
    }),
  judge: (_item, found) => {
    const keysOf = (side: Side) => columnsOf(found.policy, side, found.columns[side]).map(({ key }) => key)
    const keys = [...new Set([...keysOf('left'), ...keysOf('right')])]
    const [left, right] = [problemsOf(found, keys, 'left'), problemsOf(found, keys, 'right')]
    if (left !== '' || right !== '')
      return {
        error: 'Figures of columns could not be measured.',
        ...(left === '' ? {} : { left }),
        ...(right === '' ? {} : { right }),
      }
    const agreeing = keys.filter((key) => agrees(found, key)).length
    const percentage = agreeing === keys.length ? exactHundred : passingPercentage(keys.length, keys.length - agreeing)
    const text = `${agreeing} of ${keys.length} columns`
    return { percentage, scanned: null, failed: null, figures: { left: text, right: text } }
  },
  reads: (_item, policy, side) =>
    policy.mappings.length === 0
      ? { isUnknown: true }
      : { columns: columnsOf(policy, side, []).map(({ column }) => column) },
}
