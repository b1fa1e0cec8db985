import { itemKinds } from '@assay/contracts'
import { kindOfType } from '../column-types.ts'
import { ImpossibleDefinition, writtenText } from '../definition.ts'
import { compareExact, type Exact } from '../exact.ts'
import { allOrNothing, byPercentage } from '../item-outcome.ts'
import { engineFormat } from '../marker-times.ts'
import { earlierBy, parseDuration, parseInstant, secondsText } from '../times.ts'
import { measurement, sqlText } from './measurement.ts'
import { readsColumn, readsExpression } from './reads.ts'

export const freshnessCheck = measurement(itemKinds.FRESHNESS_CHECK, {
  reads: (item) => ({ ...readsColumn(item), ...readsExpression(item) }),
  plan({ item, value, column: itemColumn, frame }) {
    const { maxAge, format } = value()
    if (parseDuration(maxAge) === undefined)
      throw new ImpossibleDefinition(
        'value.maxAge',
        `'${maxAge}' is not an ISO 8601 duration, for example PT36H or P7D`,
      )
    const expression = writtenText(item.ruleExpression)
    if (expression !== undefined)
      return { kind: 'aggregate-expression', ...frame, fn: 'MAX', expression: sqlText(expression) }
    const { name: column, dataType } = itemColumn()
    const kind = kindOfType(dataType)
    if (kind !== 'date' && kind !== 'time' && kind !== 'text')
      throw new ImpossibleDefinition(
        'columnName',
        `'${column}' is ${dataType}, not a date, a time or text; use a ruleExpression that converts it to a time`,
      )
    if (format === undefined || kind !== 'text') return { kind: 'newest', ...frame, column }
    const written = engineFormat(format)
    if (written === undefined)
      throw new ImpossibleDefinition(
        'value.format',
        `'${format}' cannot be read; write it with yyyy, MM, dd, HH, mm, ss and SSS`,
      )
    return { kind: 'newest', ...frame, column, format: written }
  },
  judge(found, value) {
    const newest = parseInstant(found.text)
    const start = parseInstant(found.before.runStartedAt)
    const maxAge = parseDuration(value().maxAge)
    if (newest === undefined || start === undefined || maxAge === undefined)
      return { ...found.base, error: `The newest value '${found.text}' is not a date or time.` }
    const oldest = BigInt(earlierBy(Number(start.micros / 1000n), maxAge)) * 1000n
    const base = { ...found.base, value: secondsText(start.micros - newest.micros) }
    return byPercentage({ ...found, base }, allOrNothing(compareExact(whole(newest.micros), whole(oldest)) >= 0))
  },
})

const whole = (number: bigint): Exact => ({ numerator: number, denominator: 1n })
