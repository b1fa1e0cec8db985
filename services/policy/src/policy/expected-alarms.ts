import { type AnomalyStrength, wholeThreshold } from '@assay/contracts'
import { expectedFalseAlarms, moreSensitive, sensitivitiesOf } from '@assay/reliability'
import type { StoredThreshold } from './stored-threshold.ts'

/** The sensitivity of a threshold that learns usual values; none for others. Pure. */
export function sensitivityOf(threshold: StoredThreshold): AnomalyStrength[] {
  const found = sensitivitiesOf({ thresholdConfig: wholeThreshold(threshold) })
  return found === undefined ? [] : [moreSensitive(found)]
}

/** The false alarms to expect in a month from thresholds that learn; nothing if there are none. Pure. */
export function expectedAlarms(sensitivities: readonly AnomalyStrength[]): { expectedFalseAlarmsPerMonth?: number } {
  return sensitivities.length === 0 ? {} : { expectedFalseAlarmsPerMonth: expectedFalseAlarms(...sensitivities) }
}

/** `without`: the sensitivities of an item that has no threshold. */
export const alarmsOf = (
  items: readonly { thresholdConfig: StoredThreshold | null }[],
  without: readonly AnomalyStrength[],
) =>
  expectedAlarms(items.flatMap(({ thresholdConfig }) => (thresholdConfig ? sensitivityOf(thresholdConfig) : without)))
