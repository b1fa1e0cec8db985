import type { ItemRecord } from '@assay/contracts'
import { threshold } from '@assay/contracts'
import type { AggregateFunction, Metric, Predicate, SqlText } from '@assay/data-engine'
import { boundFor, checkListed, isAbove, isEqual } from './bounds.ts'
import { kindOfType, matchableType, matchableTypes } from './column-types.ts'
import { readCondition, readNumber } from './comparison.ts'
import {
  ImpossibleDefinition,
  knownColumn,
  missingColumn,
  namedColumn,
  type PlannedColumn,
  type Problem,
  requiredColumn,
} from './definition.ts'
import { engineFormat } from './marker-times.ts'
import { udfPredicate } from './plan-udf.ts'
import { readValue } from './read-value.ts'
import { boundVariables, type References, withVariables } from './references.ts'
import { countsRows, thresholdProblem } from './threshold.ts'
import { parseDuration } from './times.ts'

/** What is known of an item without a look at the data. */
export interface TagResult {
  id: number
  kind: 'tag'
  carried: boolean
}

/** `open`: the item refers to things that were not given; its form is sound. */
export type PlannedItem = { metric: Metric } | { known: TagResult } | { open: true } | { problem: Problem }

/**
 * What an item asks of the data engine; the metric's id is the item's. Or why it can never work, with the field's path
 * within the item. What only the engine can tell (regular expressions, SQL) its `prepare` has to check.
 */
export function planItem(item: ItemRecord, columns: readonly PlannedColumn[], references?: References): PlannedItem {
  try {
    checkThreshold(item)
    if (item.measurementType === 'TAG_MATCH') return tagMatch(item, columns, references)
    if (references === undefined)
      return refersToOthers(item, columns) ? { open: true } : { metric: metricOf(item, columns) }
    return { metric: withVariables(metricOf(item, columns, references), boundVariables(references.variables)) }
  } catch (error) {
    if (error instanceof ImpossibleDefinition) return { problem: error.problem }
    throw error
  }
}

const measuresOneValue: ReadonlySet<ItemRecord['measurementType']> = new Set([
  'AGGREGATES',
  'BUSINESS_MEASURE',
  'SQL_METRIC',
  'FRESHNESS_CHECK',
  'TAG_MATCH',
])

function checkThreshold(item: ItemRecord): void {
  const parsed = threshold.safeParse(item.thresholdConfig)
  if (!parsed.success) throw new ImpossibleDefinition('thresholdConfig', 'has no config that fits its type')
  const problem = thresholdProblem(parsed.data)
  if (problem !== undefined) throw new ImpossibleDefinition(`thresholdConfig.${problem.path}`, problem.message)
  if (countsRows(item.thresholdConfig) && measuresOneValue.has(item.measurementType))
    throw new ImpossibleDefinition(
      'thresholdConfig.config.unit',
      `ROWS needs an item that counts rows; ${item.measurementType} measures one value`,
    )
}

const sql = (text: string): SqlText => ({ sql: text, variables: {} })

function filterOf(item: ItemRecord): { filter?: SqlText } {
  return item.filter === null || item.filter.trim() === '' ? {} : { filter: sql(item.filter) }
}

function tagMatch(
  item: ItemRecord,
  columns: readonly PlannedColumn[],
  references: References | undefined,
): PlannedItem {
  const { tag } = readValue('TAG_MATCH', item.value)
  const columnName = item.columnName === null ? null : requiredColumn(columns, item.columnName).name
  if (item.filter !== null && item.filter.trim() !== '')
    throw new ImpossibleDefinition('filter', 'does not act on TAG_MATCH: it looks at no rows')
  if (columnName !== null && !columns.some(({ name }) => name === columnName))
    throw new ImpossibleDefinition(
      'columnName',
      `'${columnName}' lies within a column; TAG_MATCH looks at whole columns`,
    )
  if (references === undefined) return { open: true }
  const carried = references.carriesTag(tag, columnName)
  if (carried === undefined) throw new ImpossibleDefinition('value.tag', `there is no tag '${tag}'`)
  return { known: { id: item.id, kind: 'tag', carried } }
}

/** Checks the form of an item that names something beside its own asset. */
function refersToOthers(item: ItemRecord, columns: readonly PlannedColumn[]): boolean {
  switch (item.measurementType) {
    case 'VALUES_IN_LOOKUP':
      requiredColumn(columns, item.columnName)
      readValue(item.measurementType, item.value)
      return true
    case 'UDF_PREDICATE':
      readValue(item.measurementType, item.value)
      return true
    default:
      return false
  }
}

const nothingElse: References = {
  variables: {},
  udf: () => undefined,
  lookup: () => undefined,
  tables: () => [],
  carriesTag: () => undefined,
}

function lookupPredicate(item: ItemRecord, columns: readonly PlannedColumn[], references: References): Predicate {
  const { lookupAssetId, lookupColumnName } = readValue('VALUES_IN_LOOKUP', item.value)
  const column = requiredColumn(columns, item.columnName)
  const found = references.lookup(lookupAssetId)
  if (found === undefined)
    throw new ImpossibleDefinition(
      'value.lookupAssetId',
      `there is no table, view or file with the id ${lookupAssetId}`,
    )
  if (namedColumn(found.columns, lookupColumnName) === undefined)
    throw new ImpossibleDefinition('value.lookupColumnName', missingColumn(lookupColumnName, found.columns, 'lookup'))
  return { kind: 'in-lookup', column: column.name, lookup: { dataset: found.dataset, column: lookupColumnName } }
}

function metricOf(item: ItemRecord, columns: readonly PlannedColumn[], references: References = nothingElse): Metric {
  const frame = { id: item.id, ...filterOf(item) }
  switch (item.measurementType) {
    case 'VALUES_IN_LOOKUP':
      return { kind: 'rows', ...frame, predicate: lookupPredicate(item, columns, references) }
    case 'UDF_PREDICATE':
      return { kind: 'rows', ...frame, predicate: udfPredicate(item.value, columns, references) }
    case 'TAG_MATCH':
      throw new ImpossibleDefinition('measurementType', 'TAG_MATCH asks nothing of the data')
    case 'DISTINCTNESS_CHECK':
      readValue(item.measurementType, item.value)
      return { kind: 'distinct', ...frame, column: requiredColumn(columns, item.columnName).name }
    case 'FRESHNESS_CHECK':
      return freshnessMetric(item, columns)
    case 'AGGREGATES':
    case 'BUSINESS_MEASURE':
      return aggregateMetric(item, columns)
    case 'SQL_METRIC': {
      const value = readValue(item.measurementType, item.value)
      readCondition(value, readNumber)
      if (frame.filter !== undefined)
        throw new ImpossibleDefinition('filter', 'does not act on SQL_METRIC: write it as WHERE in value.sql')
      const tables = references.tables(value.sql)
      return { kind: 'select', id: item.id, select: sql(value.sql), ...(tables.length === 0 ? {} : { tables }) }
    }
    default:
      return {
        kind: 'rows',
        ...frame,
        predicate: predicateOf({ ...item, measurementType: item.measurementType }, columns),
      }
  }
}

type RowKind = Exclude<
  ItemRecord['measurementType'],
  | 'VALUES_IN_LOOKUP'
  | 'TAG_MATCH'
  | 'UDF_PREDICATE'
  | 'DISTINCTNESS_CHECK'
  | 'FRESHNESS_CHECK'
  | 'AGGREGATES'
  | 'BUSINESS_MEASURE'
  | 'SQL_METRIC'
>

function predicateOf(
  item: Pick<ItemRecord, 'columnName' | 'value' | 'ruleExpression'> & { measurementType: RowKind },
  columns: readonly PlannedColumn[],
): Predicate {
  const column = () => requiredColumn(columns, item.columnName)
  switch (item.measurementType) {
    case 'MISSING_VALUES': {
      const { addEmptyCheck = false } = readValue(item.measurementType, item.value)
      return { kind: 'missing', column: column().name, blankToo: addEmptyCheck }
    }
    case 'REGEX_MATCH': {
      const { pattern, partial = false } = readValue(item.measurementType, item.value)
      return { kind: 'regex', column: column().name, pattern, partial }
    }
    case 'VALUES_IN_LIST': {
      const { values, negate = false } = readValue(item.measurementType, item.value)
      const listed = column()
      values.forEach((value, index) => {
        checkListed(value, listed, `value.values[${index}]`)
      })
      return { kind: 'in-list', column: listed.name, values, negate }
    }
    case 'DATATYPE_MATCH': {
      const { dataType } = readValue(item.measurementType, item.value)
      const known = matchableType(dataType)
      if (known === undefined) throw new ImpossibleDefinition('value.dataType', `must be one of ${matchableTypes}`)
      return { kind: 'datatype', column: column().name, dataType: known }
    }
    case 'RANGE_MATCH':
      return rangePredicate(column(), item.value)
    case 'SIZE_CHECK': {
      const { min, max } = readValue(item.measurementType, item.value)
      needEither(min, max)
      if (min !== undefined && max !== undefined && min > max) throw aboveProblem(min, max)
      return { kind: 'text-length', column: column().name, ...given({ min, max }) }
    }
    case 'PRECISION_SCALE_CHECK': {
      const { precision, scale } = readValue(item.measurementType, item.value)
      if (scale > precision) throw new ImpossibleDefinition('value.scale', 'must not be above value.precision')
      return { kind: 'precision-scale', column: column().name, precision, scale }
    }
    case 'DUPLICATE_ROWS_CHECK': {
      const named = readValue(item.measurementType, item.value).columns
      const names = named ?? (item.columnName === null ? null : [item.columnName])
      const path = named === undefined ? 'columnName' : 'value.columns'
      const twice = names?.find((name, index) => names.indexOf(name) !== index)
      if (twice !== undefined) throw new ImpossibleDefinition(path, `names the column '${twice}' twice`)
      return { kind: 'duplicate', columns: names?.map((name) => knownColumn(columns, name, path).name) ?? null }
    }
    case 'CUSTOM':
      return { kind: 'expression', expression: sql(requiredExpression(item.ruleExpression)) }
    default:
      return item.measurementType satisfies never
  }
}

function requiredExpression(expression: string | null): string {
  if (expression !== null && expression.trim() !== '') return expression
  throw new ImpossibleDefinition('ruleExpression', 'is needed: a SQL expression over the row')
}

const aboveProblem = (min: string | number, max: string | number) =>
  new ImpossibleDefinition('value.min', `must not be above value.max (${min} > ${max})`)

function needEither(min: unknown, max: unknown): void {
  if (min === undefined && max === undefined)
    throw new ImpossibleDefinition('value', 'needs min, max or both: without them nothing is checked')
}

function given<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Absent and undefined are two things to exactOptionalPropertyTypes; this makes the second the first.
  return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

function rangePredicate(column: PlannedColumn, value: ItemRecord['value']): Predicate {
  const { min, max, inclusive = true } = readValue('RANGE_MATCH', value)
  needEither(min, max)
  if (kindOfType(column.dataType) === 'other')
    throw new ImpossibleDefinition(
      min === undefined ? 'value.max' : 'value.min',
      `cannot be compared with the column '${column.name}': ${column.dataType} has no order`,
    )
  const low = min === undefined ? undefined : boundFor(min, column, 'value.min')
  const high = max === undefined ? undefined : boundFor(max, column, 'value.max')
  if (min !== undefined && max !== undefined && low !== undefined && high !== undefined) {
    if (isAbove(low, high)) throw aboveProblem(min, max)
    if (!inclusive && isEqual(low, high))
      throw new ImpossibleDefinition(
        'value.inclusive',
        'must not be false where min and max are equal: nothing lies between',
      )
  }
  return { kind: 'range', column: column.name, inclusive, ...given({ min: low, max: high }) }
}

function freshnessMetric(item: ItemRecord, columns: readonly PlannedColumn[]): Metric {
  const frame = { id: item.id, ...filterOf(item) }
  const { maxAge, format } = readValue('FRESHNESS_CHECK', item.value)
  if (parseDuration(maxAge) === undefined)
    throw new ImpossibleDefinition('value.maxAge', `'${maxAge}' is no ISO 8601 duration, for example PT36H or P7D`)
  if (item.ruleExpression !== null && item.ruleExpression.trim() !== '')
    return { kind: 'aggregate-expression', ...frame, fn: 'MAX', expression: sql(item.ruleExpression) }
  const column = requiredColumn(columns, item.columnName)
  const kind = kindOfType(column.dataType)
  if (kind === 'date' || kind === 'time') return { kind: 'newest', ...frame, column: column.name }
  if (kind !== 'text')
    throw new ImpossibleDefinition(
      'columnName',
      `'${column.name}' is ${column.dataType}, not a date, a time or text; a ruleExpression can make a time of it`,
    )
  if (format === undefined) return { kind: 'newest', ...frame, column: column.name }
  const written = engineFormat(format)
  if (written === undefined)
    throw new ImpossibleDefinition(
      'value.format',
      `'${format}' cannot be read; write it with yyyy, MM, dd, HH, mm, ss and SSS`,
    )
  return { kind: 'newest', ...frame, column: column.name, format: written }
}

function aggregateMetric(item: ItemRecord, columns: readonly PlannedColumn[]): Metric {
  const frame = { id: item.id, ...filterOf(item) }
  const fn = aggregateFunctionOf(item)
  const expression =
    item.measurementType === 'BUSINESS_MEASURE' && item.ruleExpression !== null && item.ruleExpression.trim() !== ''
      ? item.ruleExpression
      : undefined
  const column =
    expression !== undefined || (fn === 'COUNT' && item.columnName === null)
      ? undefined
      : requiredColumn(columns, item.columnName)
  const value = readValue('AGGREGATES', item.value)
  const ofAnyKind = fn === 'MIN' || fn === 'MAX'
  readCondition(
    value,
    !ofAnyKind ? readNumber : column === undefined ? undefined : (operand, path) => boundFor(operand, column, path),
  )
  return expression === undefined
    ? { kind: 'aggregate', ...frame, fn, column: column?.name ?? null }
    : { kind: 'aggregate-expression', ...frame, fn, expression: sql(expression) }
}

function aggregateFunctionOf(item: ItemRecord): AggregateFunction {
  if (item.aggregateType !== 'RULE' && item.aggregateType !== 'CUSTOM') return item.aggregateType
  throw new ImpossibleDefinition('aggregateType', 'must be one of SUM, AVG, MIN, MAX, COUNT')
}
