import { type DatasetLocator, datasetLocator, type TableLocator } from './dataset.ts'
import { knownLocator } from './locators.ts'

/** Identifies a table of a database across crawls; `undefined` for other datasets. */
function tableKey(dataset: DatasetLocator): string | undefined {
  const locator = knownLocator(dataset)
  if (locator?.kind !== 'relation' && locator?.kind !== 'table') return undefined
  const { engine, schema, table } = locator
  return JSON.stringify([engine, locator.kind === 'table' ? locator.path : locator.source, schema, table])
}

/**
 * The rows of an asset as the last crawl found them; `undefined` if another version wrote its locator. A SQL view stores
 * the locators of its tables from the time when it was created. Engines compare the definitions of database views with
 * those of the last crawl, so these tables get their locators from `tableOf`, which is called for SQL views only.
 */
export async function currentDataset(
  tableOf: (assetId: number) => Promise<{ locator: unknown } | undefined>,
  { locator, sourceIds = [] }: { locator: unknown; sourceIds?: readonly number[] | undefined },
): Promise<DatasetLocator | undefined> {
  const dataset = datasetLocator.safeParse(locator).data
  if (dataset?.kind !== 'query') return dataset
  const current = new Map<string, TableLocator>()
  for (const id of sourceIds) {
    const found = datasetLocator.safeParse((await tableOf(id))?.locator).data
    if (found === undefined || found.kind === 'query') continue
    const key = tableKey(found)
    if (key !== undefined) current.set(key, found)
  }
  const tables = dataset.tables.map((table) => ({
    ...table,
    dataset: current.get(tableKey(table.dataset) ?? '') ?? table.dataset,
  }))
  return { ...dataset, tables }
}
