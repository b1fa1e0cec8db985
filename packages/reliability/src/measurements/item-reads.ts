import type { ItemRecord } from '@assay/contracts'
import type { ReadItem } from './measurement.ts'
import { allNeeds, type Needs, type Reads } from './reads.ts'
import { measurements } from './table.ts'

type Typed<Item> = Item & Pick<ItemRecord, 'measurementType'>

/** The other assets, templates and tags that items reference. Pure. */
export function needsOf(items: readonly Typed<Pick<ItemRecord, 'value'>>[]): Needs {
  return allNeeds(items.map((item) => measurements[item.measurementType].needs(item)))
}

/** The values that an item's outcome depends on. Pure. */
export function readsOf(item: Typed<ReadItem>): Reads {
  return measurements[item.measurementType].reads(item)
}
