import { customComparisonValue, timelinessValue, wholeThreshold } from '@assay/contracts'
import {
  canBeEqual,
  datasetLocator,
  infersTypes,
  isNumeric,
  isTemporal,
  type LogicalType,
  parseType,
} from '@assay/data-engine'
import { countsRows } from '@assay/reliability'
import { type CheckContext, checkFilter, checkMarker, firstLine, sqlText } from '../../definition/check-side.ts'
import { columnOf } from '../../definition/columns.ts'
import { refusal } from '../../definition/refusal.ts'
import type { Sides } from '../../definition/targets.ts'
import type { DefinitionFrame } from '../../policy/definition.ts'
import type { Mapping, Reconciliation, ReconciliationItem } from './family.ts'

const maxKeys = 16

export async function checkComparison(
  definition: Reconciliation & DefinitionFrame,
  sides: Sides,
  context: CheckContext,
): Promise<void> {
  checkParts(definition, sides)
  checkMarker(definition.target, sides.main, 'rule.leftBackingAsset')
  checkMarker(definition.rightTarget, sides.right, 'rule.rightBackingAsset')
  await checkFilter(definition.filter, sides.main, 'rule.leftFilter', context)
  await checkFilter(definition.rightFilter, sides.right, 'rule.rightFilter', context)
  await checkSelects(definition, sides, context)
}

function checkParts(definition: Reconciliation, sides: Sides): void {
  const { items, mappings, joinType } = definition
  if (joinType === 'CROSS') throw refusal('rule.joinType', 'CROSS pairs no rows: use FULL, LEFT, RIGHT or INNER')
  const keys = mappings.filter(({ useForJoining }) => useForJoining).length
  if (keys > maxKeys) throw refusal('mappings', `must not have more than ${maxKeys} mappings with useForJoining true`)
  mappings.forEach((mapping, index) => {
    checkMapping(mapping, `mappings[${index}]`, { sides, hasKey: keys > 0 })
  })
  items.forEach((item, index) => {
    checkItem(item, `items[${index}]`, definition, sides)
  })
}

function checkMapping(mapping: Mapping, at: string, { sides, hasKey }: { sides: Sides; hasKey: boolean }): void {
  const { leftColumnName, rightColumnName, useForJoining, operation, ignoreNullValues, tolerance } = mapping
  const left = sides.main && columnOf(sides.main, leftColumnName, `${at}.leftColumnName`, 'left')
  const right = sides.right && columnOf(sides.right, rightColumnName, `${at}.rightColumnName`, 'right')
  const isDistance = tolerance !== null && (tolerance.absolute !== null || tolerance.relative !== null)
  if (useForJoining && operation !== 'EQ') throw refusal(`${at}.operation`, 'must be EQ for a column of the key')
  if (useForJoining && isDistance)
    throw refusal(`${at}.tolerance`, 'absolute and relative do not apply to a column of the key')
  if (tolerance !== null && isTolerant(tolerance) && operation !== 'EQ')
    throw refusal(`${at}.tolerance`, `applies to the operation EQ only, not to ${operation}`)
  const needsKey = isDistance
    ? 'tolerance'
    : operation !== 'EQ'
      ? 'operation'
      : ignoreNullValues
        ? 'ignoreNullValues'
        : ''
  if (needsKey !== '' && !hasKey)
    throw refusal(`${at}.${needsKey}`, 'needs a key: set useForJoining true on the columns that identify a row')
  if (left === undefined || right === undefined || hasUnknownTypes(sides.main) || hasUnknownTypes(sides.right)) return
  const types = [parseType(left.dataType), parseType(right.dataType)] as const
  if (!canBeEqual(...types)) {
    const [one, other] = [left.dataType, right.dataType]
    throw refusal(at, `${one} and ${other} are never equal: map columns of the same kind, or convert one in a view`)
  }
  if (tolerance !== null) checkTolerance(tolerance, types, `${at}.tolerance`)
}

/** A file without rows, whose columns are text until its first rows come. */
function hasUnknownTypes(table: Sides['main']): boolean {
  const locator = datasetLocator.safeParse(table?.locator)
  return table?.data?.rowCount === 0 && locator.success && infersTypes(locator.data)
}

type Tolerance = NonNullable<Mapping['tolerance']>

const isTolerant = ({ absolute, relative, timeUnit, trim, ignoreCase }: Tolerance) =>
  absolute !== null || relative !== null || timeUnit !== null || trim || ignoreCase

function checkTolerance(tolerance: Tolerance, types: readonly LogicalType[], at: string): void {
  const isText = ({ kind }: LogicalType) => kind === 'text'
  const checks = [
    [tolerance.absolute !== null, isNumeric, 'absolute', 'numbers'],
    [tolerance.relative !== null, isNumeric, 'relative', 'numbers'],
    [tolerance.timeUnit !== null, isTemporal, 'timeUnit', 'times'],
    [tolerance.trim, isText, 'trim', 'texts'],
    [tolerance.ignoreCase, isText, 'ignoreCase', 'texts'],
  ] as const
  for (const [isSet, isOfKind, name, what] of checks)
    if (isSet && !types.every(isOfKind)) throw refusal(`${at}.${name}`, `applies to ${what} only`)
}

function checkItem(item: ReconciliationItem, at: string, definition: Reconciliation, sides: Sides): void {
  const { measurementType, columnName = null, value = null, thresholdConfig } = item
  if (thresholdConfig !== null && countsRows(wholeThreshold(thresholdConfig)) && measurementType !== 'EQUALITY')
    throw refusal(`${at}.thresholdConfig.config.unit`, `${measurementType} counts no rows; leave unit out`)
  switch (measurementType) {
    case 'TIMELINESS':
      if (columnName === null) throw refusal(`${at}.columnName`, 'is needed: its newest time is compared')
      if (!timelinessValue.safeParse(value).success) throw refusal(`${at}.value.maxDelay`, 'is needed, in seconds')
      checkTimeColumn(columnName, `${at}.columnName`, definition, sides)
      return
    case 'CUSTOM':
      if (!customComparisonValue.safeParse(value).success)
        throw refusal(`${at}.value`, 'needs leftSql and rightSql, each one SELECT that returns one number')
      return
    case 'HASHED_EQUALITY':
      checkExact(definition, at)
      break
    case 'EQUALITY':
    case 'COUNT':
    case 'PROFILE_EQUALITY':
    case 'ROW_COUNT_EQUALITY':
      break
    default:
      measurementType satisfies never
  }
  if (columnName !== null) throw refusal(`${at}.columnName`, `does not apply to ${measurementType}`)
  if (value !== null && Object.keys(value).length > 0)
    throw refusal(`${at}.value`, `does not apply to ${measurementType}`)
}

/** Hashes are equal only if all values are. */
function checkExact({ mappings }: Reconciliation, at: string): void {
  const index = mappings.findIndex(
    ({ tolerance, operation, ignoreNullValues }) =>
      operation !== 'EQ' || ignoreNullValues || (tolerance?.absolute ?? tolerance?.relative ?? null) !== null,
  )
  if (index !== -1)
    throw refusal(
      `${at}.measurementType`,
      `HASHED_EQUALITY compares whole rows, so mappings[${index}] must have the operation EQ, no absolute or relative tolerance, and ignoreNullValues false`,
    )
}

function checkTimeColumn(name: string, at: string, { mappings }: Reconciliation, { main, right }: Sides): void {
  const rightName = mappings.find(({ leftColumnName }) => leftColumnName === name)?.rightColumnName ?? name
  const columns = [
    ...(main === undefined ? [] : [columnOf(main, name, at, 'left')]),
    ...(right === undefined ? [] : [columnOf(right, rightName, at, 'right')]),
  ]
  const other = columns.find(({ dataType }) => !isTemporal(parseType(dataType)))
  if (other !== undefined) throw refusal(at, `must name a date or time column; '${other.name}' is ${other.dataType}`)
}

/** Lets the engine check the SELECTs of items. Throws `invalid` naming the field. */
async function checkSelects(
  { items }: Reconciliation,
  { main, right }: Sides,
  { tenant, prepare }: CheckContext,
): Promise<void> {
  const each = [
    ['leftSql', main],
    ['rightSql', right],
  ] as const
  for (const [name, table] of each) {
    const metrics = items.flatMap(({ value }, index) => {
      const parsed = customComparisonValue.safeParse(value)
      if (!parsed.success) return []
      return [{ kind: 'select' as const, id: index + 1, select: sqlText(parsed.data[name]) }]
    })
    if (table === undefined || metrics.length === 0) continue
    const prepared = await prepare({ tenant, assetId: table.assetId, locator: table.locator, metrics })
    if (prepared === 'unreachable') continue
    const [first] = prepared.metricErrors
    if (first !== undefined) throw refusal(`items[${first.id - 1}].value.${name}`, firstLine(first.message))
  }
}
