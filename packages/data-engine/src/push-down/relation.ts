import { AssayError } from '@assay/service-kit/errors'
import type { DatasetLocator } from '../dataset.ts'
import { type RelationLocator, readLocator } from '../locators.ts'

/** The table of a dataset. Throws `unprocessable` for a query over tables. */
export function relationOf({ name }: { name: string }, dataset: DatasetLocator): RelationLocator {
  const locator = readLocator(dataset)
  if (locator.kind === 'relation') return locator
  throw new AssayError('unprocessable', `Queries over tables of ${name} are not possible yet.`)
}
