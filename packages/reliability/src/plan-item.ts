import { type ItemRecord, itemKindOf, threshold } from '@assay/contracts'
import type { Metric } from '@assay/data-engine'
import { ImpossibleDefinition, type PlannedColumn, type Problem } from './definition.ts'
import type { TagResult } from './measurements/measurement.ts'
import { measurements } from './measurements/table.ts'
import { boundVariables, type References, withVariables } from './references.ts'
import { countsRows, thresholdProblem } from './threshold.ts'

/** `open`: the item's form is valid, but the references that it needs are missing. */
export type PlannedItem = { metric: Metric } | { known: TagResult } | { open: true } | { problem: Problem }

/**
 * The metric of an item for the data engine, with the item's id. If the item can never work, returns the reason and the
 * field's path within the item. Regular expressions and SQL are not checked here; the engine's `prepare` must check
 * them.
 */
export function planItem(item: ItemRecord, columns: readonly PlannedColumn[], references?: References): PlannedItem {
  try {
    checkThreshold(item)
    const planned = measurements[item.measurementType].plan(item, columns, references)
    if (planned === undefined) return { open: true }
    if (planned.kind === 'tag') return { known: planned }
    return { metric: references ? withVariables(planned, boundVariables(references.variables)) : planned }
  } catch (error) {
    if (error instanceof ImpossibleDefinition) return { problem: error.problem }
    throw error
  }
}

function checkThreshold({ thresholdConfig, measurementType }: ItemRecord): void {
  const parsed = threshold.safeParse(thresholdConfig)
  if (!parsed.success) throw new ImpossibleDefinition('thresholdConfig', 'has no config that fits its type')
  const problem = thresholdProblem(parsed.data)
  if (problem !== undefined) throw new ImpossibleDefinition(`thresholdConfig.${problem.path}`, problem.message)
  if (countsRows(thresholdConfig) && itemKindOf(measurementType).measures !== 'ROWS')
    throw new ImpossibleDefinition(
      'thresholdConfig.config.unit',
      `ROWS needs an item that counts rows; ${measurementType} measures one value`,
    )
}
