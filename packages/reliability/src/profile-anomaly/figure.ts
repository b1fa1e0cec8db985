import { isTemporal, type LastChange, parseType } from '@assay/data-engine'
import type { Found } from '../kinds/judging.ts'
import { metricOf } from '../profiles/column-metric.ts'
import type { ProfileState } from '../profiles/merge-columns.ts'
import type { AnomalyPolicy } from './definition.ts'
import type { Watched } from './series.ts'

type SeriesMetric = Exclude<Watched['metric'], 'DATA_TYPE' | 'SCHEMA'>

/** The data that a run has read. */
export interface Measured {
  state: ProfileState
  /** What the source says about the table. Absent if the source was not asked. */
  change: LastChange | undefined
  freshnessColumn: AnomalyPolicy['freshnessColumn']
  /** Start of the run, epoch seconds. */
  now: number
}

export function measuredIn(all: readonly Found[], freshnessColumn: string | null, startedAt: string): Measured {
  return {
    state: all.flatMap((found) => (found.kind === 'PROFILE' ? [found.state] : []))[0] ?? { rows: 0, columns: [] },
    change: all.flatMap((found) => (found.kind === 'LAST_CHANGE' ? [found.change] : []))[0],
    freshnessColumn,
    now: Date.parse(startedAt) / 1000,
  }
}

/** A watched figure; null if the table or column has none, such as the mean of a column of NULL. Pure. */
export function figureOf(metric: SeriesMetric, columnName: string | null, measured: Measured): number | null {
  if (metric === 'ROW_COUNT') return measured.state.rows
  if (metric === 'VOLUME') return measured.change?.bytes ?? null
  if (metric === 'FRESHNESS') return ageOf(measured)
  const column = measured.state.columns.find(({ name }) => name === columnName)
  if (column === undefined || column.known === null) return null
  const value = metricOf(metric, { ...column, known: column.known })
  return value === null || !Number.isFinite(value) ? null : value
}

/**
 * The age of the newest data in whole seconds. Taken from the configured column, else from the source, else from the
 * newest value of all date and time columns that is not in the future.
 */
function ageOf({ state, change, freshnessColumn, now }: Measured): number | null {
  const times = state.columns.flatMap(({ name, dataType, known }) => {
    const newest = isTemporal(parseType(dataType)) ? known?.greatest?.position : undefined
    return newest == null ? [] : [{ name, newest }]
  })
  const configured = times.find(({ name }) => name === freshnessColumn)?.newest
  const changed = change?.at == null ? undefined : Date.parse(change.at) / 1000
  const past = times.map(({ newest }) => newest).filter((newest) => newest <= now)
  const newest = configured ?? changed ?? (past.length === 0 ? undefined : Math.max(...past))
  return newest === undefined ? null : Math.max(0, Math.round(now - newest))
}
