import type { BackfillRecord } from '@assay/contracts'
import { z } from 'zod'
import type { TableSettings } from '../kinds/run-kind.ts'
import { engineFormat } from '../marker-times.ts'

/** How a policy finds the periods of its table. */
export const periodsDefinition = z.object({
  /** The column that the policy names. */
  columnName: z.string().nullable(),
  granularity: z.enum(['DAY', 'HOUR']),
  /** ISO 8601: the first period begins then or later. A date begins in `timeZone`. */
  from: z.string().nullable(),
  timeZone: z.string(),
  /** The column that the configuration of the table names. */
  freshnessColumn: z.string().nullable(),
  /** The column of the policy's marker. `format`: how the engine reads its text as a date. */
  marker: z.object({ columnName: z.string(), format: z.string().nullable() }).nullable(),
})
export type PeriodsDefinition = z.infer<typeof periodsDefinition>

const timeMarker = z.object({
  type: z.literal('DateTimeMarkerConfig'),
  columnName: z.string(),
  format: z.string().nullish(),
})

/** The parts of a policy that determine its periods; absent if the policy has none. Pure. */
export function keptPeriods(
  rule: { backfill?: BackfillRecord | undefined; backingAsset: { marker: { type: string } | null } },
  { timeZone, freshnessColumn }: TableSettings,
): { periods?: PeriodsDefinition } {
  const { backfill } = rule
  if (backfill === undefined || !backfill.enabled) return {}
  const { columnName, granularity, from } = backfill
  const marker = timeMarker.safeParse(rule.backingAsset.marker).data
  const format = marker?.format == null ? null : (engineFormat(marker.format) ?? null)
  return {
    periods: {
      ...{ columnName, granularity, from, freshnessColumn, timeZone: timeZone ?? 'UTC' },
      marker: marker === undefined ? null : { columnName: marker.columnName, format },
    },
  }
}

/** The columns whose values may determine the period of a row. Pure. */
export function timesOf(definition: PeriodsDefinition | undefined): string[] {
  if (definition === undefined) return []
  const { columnName, freshnessColumn, marker } = definition
  return columnName !== null ? [columnName] : [freshnessColumn, marker?.columnName].flatMap((name) => name ?? [])
}
