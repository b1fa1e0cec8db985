import { timelinessValue } from '@assay/contracts'
import { parseType } from '@assay/data-engine'
import { compareExact, exactHundred, exactOf } from '../../exact.ts'
import { allOrNothing } from '../../item-outcome.ts'
import { parseInstant, secondsText } from '../../times.ts'
import type { RunItem } from '../definition.ts'
import { columnOnSide, type Measure, type MeasuredSides, type Side } from './measure.ts'

const role = 'newest'

/** The newest time of a side as text, and as microseconds. */
function newestOf({ result }: MeasuredSides, side: Side): { text: string; micros: bigint } | { problem: string } {
  const found = result(side, role)
  if (found?.kind === 'error') return { problem: found.message }
  const text = found?.kind === 'value' ? found.value : null
  const instant = text === null ? undefined : parseInstant(text)
  return instant === undefined || text === null
    ? { problem: 'The column has no time.' }
    : { text, micros: instant.micros }
}

/** Seconds to add to the left time. Dates have no time of day, so nothing is added to them. */
function offsetOf({ columnName }: RunItem, { policy, columns }: MeasuredSides): number {
  const dataType = columns.left.find(({ name }) => name === columnName)?.dataType ?? ''
  return parseType(dataType).kind === 'date' ? 0 : policy.timeSecondsOffset
}

const columnsOf = ({ columnName }: RunItem) => (columnName === null ? [] : [columnName])

/** Whether the newest times of both sides are at most `maxDelay` seconds apart. */
export const timeliness: Measure = {
  compares: null,
  needsRows: true,
  asks: (item, policy, side) => {
    const [column] = columnsOf(item)
    if (column === undefined) return { problem: 'columnName: is needed: the newest time of this column is compared.' }
    return [{ role, metric: (id) => ({ kind: 'newest', id, column: columnOnSide(policy, column, side) }) }]
  },
  judge: (item, found) => {
    const value = timelinessValue.safeParse(item.value)
    if (!value.success) return { error: 'value.maxDelay: is needed, in seconds.' }
    if (found.rows.left + found.rows.right === 0)
      return { percentage: exactHundred, scanned: null, failed: null, figures: { left: 'none', right: 'none' } }
    const [left, right] = [newestOf(found, 'left'), newestOf(found, 'right')]
    if ('problem' in left || 'problem' in right)
      return {
        error: 'The newest times cannot be compared.',
        ...('problem' in left ? { left: left.problem } : {}),
        ...('problem' in right ? { right: right.problem } : {}),
      }
    const apart = left.micros + BigInt(offsetOf(item, found)) * 1_000_000n - right.micros
    const gap = { numerator: apart < 0n ? -apart : apart, denominator: 1_000_000n }
    return {
      percentage: allOrNothing(compareExact(gap, exactOf(value.data.maxDelay)) <= 0),
      ...{ scanned: null, failed: null, value: secondsText(gap.numerator) },
      figures: { left: left.text, right: right.text },
    }
  },
  reads: (item, policy, side) => ({ columns: columnsOf(item).map((column) => columnOnSide(policy, column, side)) }),
}
