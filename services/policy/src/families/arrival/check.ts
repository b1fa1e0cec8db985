import { freshnessMeasurements, type TableMessage } from '@assay/contracts'
import { datasetLocator, isOfFiles, isOfTopic } from '@assay/data-engine'
import { kindOfType, neededBy } from '@assay/reliability'
import { columnOf } from '../../definition/columns.ts'
import { refusal } from '../../definition/refusal.ts'
import type { ArrivalItem } from './family.ts'

interface Arrival {
  filter: string | null
  items: readonly ArrivalItem[]
}

export const isFreshness = ({ measurementType }: { measurementType: string }) =>
  freshnessMeasurements.some((one) => one === measurementType)

/** Throws `invalid` for items that the table cannot have: it lacks the column, times in it, or files. */
export function checkArrival(definition: Arrival, table: TableMessage): void {
  definition.items.forEach((item, index) => {
    const at = `items[${index}]`
    const { columnName } = item
    if (columnName !== null)
      checkColumn(item, columnOf(table, columnName, `${at}.columnName`).dataType, `${at}.columnName`)
    else if (item.measurementType === 'RAW_DATA_FRESHNESS') checkLoading(definition, table, `${at}.measurementType`)
    checkMeasure(item, table, `${at}.measurementType`)
  })
}

function checkColumn(item: ArrivalItem, dataType: string, at: string): void {
  if (!isFreshness(item)) return
  if (item.measurementType === 'RAW_DATA_FRESHNESS')
    throw refusal(at, 'RAW_DATA_FRESHNESS is about the time of loading: use DATA_FRESHNESS for a column')
  const kind = kindOfType(dataType)
  if (kind !== 'date' && kind !== 'time') throw refusal(at, `'${item.columnName}' is ${dataType}, not a date or a time`)
}

/** The source must say when the table changed, and a filter cannot select a part of it. */
function checkLoading({ filter }: Arrival, { locator }: TableMessage, at: string): void {
  const dataset = datasetLocator.safeParse(locator)
  if (dataset.success && !isOfFiles(dataset.data) && !isOfTopic(dataset.data))
    throw refusal(
      at,
      'RAW_DATA_FRESHNESS needs files or a topic: the source of this table does not say when it changed',
    )
  if (filter !== null)
    throw refusal('rule.filter', 'does not apply to the time of loading: use DATA_FRESHNESS with a column')
}

/** Measures of files need files, those of messages a topic; the size of a topic cannot be measured. */
function checkMeasure(item: ArrivalItem, { name, locator }: TableMessage, at: string): void {
  if (isFreshness(item)) return
  const needed = neededBy(item.measurementType)
  if (needed === undefined)
    throw refusal(at, `${item.measurementType} cannot be measured: Kafka does not report the size of a topic`)
  const dataset = datasetLocator.safeParse(locator)
  if (needed === 'FILES' && dataset.success && !isOfFiles(dataset.data))
    throw refusal(at, `${item.measurementType} belongs to files, and '${name}' has none`)
  if (needed === 'MESSAGES' && dataset.success && !isOfTopic(dataset.data))
    throw refusal(at, `${item.measurementType} belongs to topics, and '${name}' is not a topic`)
}
