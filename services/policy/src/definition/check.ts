import type { TableMessage } from '@assay/contracts'
import { storedMarkerProblem } from '@assay/reliability'
import type { Definition, Target } from '../policy/definition.ts'
import { type CheckContext, checkFilter } from './check-filter.ts'
import { checkAnomaly } from './families/anomaly.ts'
import { checkArrival } from './families/arrival.ts'
import { checkReconciliation, checkSelects } from './families/comparison-checks.ts'
import { checkBaseline, checkDataDrift } from './families/data-drift.ts'
import { checkQuality } from './families/data-quality.ts'
import { refusal } from './refusal.ts'
import type { Sides } from './targets.ts'

/**
 * Refuses definitions that can never work: first by the tables' columns, then by the engine's check of regular
 * expressions, expressions, filters and SQL. Accepts a definition whose source is unreachable or whose table is unknown. Error:
 * `invalid` naming the field.
 */
export async function checkDefinition(definition: Definition, sides: Sides, context: CheckContext): Promise<void> {
  const { main, right } = sides
  if ('rightTarget' in definition) {
    checkReconciliation(definition, sides)
    checkMarker(definition.target, main, 'rule.leftBackingAsset')
    checkMarker(definition.rightTarget, right, 'rule.rightBackingAsset')
    await checkFilter(definition.filter, main, 'rule.leftFilter', context)
    await checkFilter(definition.rightFilter, right, 'rule.rightFilter', context)
    await checkSelects(definition, sides, context)
    return
  }
  if (main === undefined) return
  checkMarker(definition.target, main, 'rule.backingAsset')
  switch (definition.type) {
    case 'DATA_QUALITY':
      return checkQuality(definition, main, context)
    case 'DATA_DRIFT':
      checkDataDrift(definition, main)
      await checkBaseline(definition, main, context)
      break
    case 'PROFILE_ANOMALY':
    case 'AUTO_ANOMALY':
      checkAnomaly(definition, main)
      break
    case 'DATA_CADENCE':
    case 'DATA_FRESHNESS':
      checkArrival(definition, main)
      break
    case 'SCHEMA_DRIFT':
      break
    default:
      definition satisfies never
  }
  await checkFilter(definition.filter, main, 'rule.filter', context)
}

/** A stored marker that reads a column must fit it. Unusable kinds of markers pass here: a run with them is refused. */
function checkMarker({ marker }: Target, table: TableMessage | undefined, at: string): void {
  if (table === undefined || marker === null) return
  const problem = storedMarkerProblem(marker, { columns: table.columns, isFiles: true, isTopic: true })
  if (problem !== undefined) throw refusal(`${at}.marker.${problem.path}`, problem.message)
}
