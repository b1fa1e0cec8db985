import type {
  CallLimits,
  ComparedTable,
  ComparePlan,
  DatasetLocator,
  MeasurePlan,
  SqlText,
  TakePlan,
  Window,
} from '@assay/data-engine'
import type { ComparisonRequest, SideRequest } from '@assay/reliability'
import type { RunLimits } from '../dependencies.ts'
import type { KnownRun } from '../versions/versions.ts'

/** The plan for a side: the requests of the run's kind, with dataset, window and filter. */
export function measurePlan(
  { configuration }: Pick<KnownRun, 'configuration'>,
  { metrics, filter }: Pick<SideRequest, 'metrics' | 'filter'>,
  { dataset, window }: { dataset: DatasetLocator; window: Window | undefined },
): MeasurePlan {
  const { good, bad } = configuration
  return {
    dataset,
    ...(window ? { window } : {}),
    ...(filter ? { filter } : {}),
    metrics,
    rows: {
      bad: bad.store ? { format: bad.format, limit: null } : null,
      good: good.store ? { format: good.format, limit: null } : null,
      preview: 100,
    },
  }
}

/** Maximum number of stored rows that differ, and of those that agree. */
export const maxCompared = 1_000_000

/** Dataset and window of a side. */
type OpenedSide = Pick<ComparedTable, 'dataset'> & { window: Window | undefined }

/** The plan for a comparison of both sides. `taken`: the rows of the left side, if they were stored earlier. */
export function comparePlan(
  { configuration: { bad, good } }: Pick<KnownRun, 'configuration'>,
  { columns, whole, leftFilter, rightFilter, rowsOf }: ComparisonRequest,
  [left, right]: readonly [OpenedSide, OpenedSide],
  taken?: ComparedTable,
): ComparePlan {
  const tableOf = ({ dataset, window }: OpenedSide, filter: SqlText | undefined): ComparedTable => ({
    dataset,
    ...(window ? { window } : {}),
    ...(filter ? { filter } : {}),
  })
  const storesRows = rowsOf.length > 0
  return {
    left: taken ?? tableOf(left, leftFilter),
    right: tableOf(right, rightFilter),
    columns,
    ...(whole === undefined ? {} : { whole }),
    rows: bad.store && storesRows ? { format: bad.format, limit: maxCompared, preview: 100, itemIds: rowsOf } : null,
    ...(good.store && storesRows ? { agreeing: { format: good.format, limit: maxCompared, preview: 100 } } : {}),
  }
}

/** The plan to store the left side of a comparison that happens later. */
export function takePlan({ columns, whole, leftFilter }: ComparisonRequest, { dataset, window }: OpenedSide): TakePlan {
  const names = [...new Set(columns.map(({ left }) => left))]
  return {
    ...{ dataset, columns: names },
    ...(window ? { window } : {}),
    ...(leftFilter ? { filter: leftFilter } : {}),
    ...(whole === undefined ? {} : { whole }),
  }
}

/** Uses the policy's time limit, else the service's, up to the operator's maximum. */
export function measureLimits(
  { timeoutMinutes }: Pick<KnownRun['definition'], 'timeoutMinutes'>,
  { timeoutMs, maxTimeoutMs, memoryMb, threads, maxTempMb }: RunLimits,
): CallLimits {
  const asked = timeoutMinutes === null ? timeoutMs : timeoutMinutes * 60_000
  return { timeoutMs: Math.min(asked, maxTimeoutMs), memoryMb, threads, maxTempMb }
}
