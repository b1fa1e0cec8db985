import { itemKindOf } from '@assay/reliability'
import type { SideName } from '../execution/run.ts'
import { itemRecordsOf } from '../reading/item-records.ts'
import type { ShownExecution } from '../reading/masked-outcomes.ts'

const schemas = 'https://openlineage.io/spec'
const facets = `${schemas}/facets`

/** The sender of the events. `producer`: a URI with the version of Assay. */
export interface LineageSource {
  installation: string
  tenant: string
  producer: string
  /** The id of a run in OpenLineage: a UUID, the same for all events of the run. */
  runId: string
}

interface Assertion {
  assertion: string
  success: boolean
  column?: string
}

/** The outcomes of items that the reader may see. Items that could not be evaluated count as failed. */
function assertionsOf(state: ShownExecution): Assertion[] {
  return itemRecordsOf(state).executions.flatMap((record) => {
    const { ruleItemId, item, status } = record
    if (state.hidden?.items.has(ruleItemId) || status === null) return []
    const column = item !== null && 'columnName' in item && typeof item.columnName === 'string' ? item.columnName : null
    const kind = itemKindOf(record) ?? state.run.policy.type
    return [{ assertion: kind.toLowerCase(), success: status === 'SUCCESSFUL', ...(column === null ? {} : { column }) }]
  })
}

function rowsOf(state: ShownExecution, side: SideName): number | null {
  if (state.status !== 'succeeded' || state.hidden?.rows) return null
  return state.result.sides.find((one) => one.side === side)?.rowsScanned ?? null
}

const eventTypes = {
  waiting: 'START',
  running: 'START',
  succeeded: 'COMPLETE',
  failed: 'FAIL',
  aborted: 'ABORT',
} as const

/**
 * The OpenLineage run event (2-0-2) for the state of a run after its start or end. Facets: data quality assertions and
 * metrics of the tables that were read, and the reason of a failure. `at`: when it happened, ISO 8601. Pure.
 */
export function lineageEvent(state: ShownExecution, at: string, source: LineageSource) {
  const { installation, tenant, producer, runId } = source
  const namespace = `assay://${installation}/${tenant}`
  const facet = (name: string, version: string) => ({
    _producer: producer,
    _schemaURL: `${facets}/${version}/${name}.json#/$defs/${name}`,
  })
  const assertions = assertionsOf(state)
  const inputs = state.run.tables.map(({ uid, side }, index) => {
    const rowCount = rowsOf(state, side)
    const metrics = facet('DataQualityMetricsInputDatasetFacet', '1-0-2')
    return {
      namespace,
      name: uid,
      inputFacets: {
        ...(rowCount === null ? {} : { dataQualityMetrics: { ...metrics, rowCount, columnMetrics: {} } }),
        // The items of a comparison belong to its left table.
        ...(index > 0 || assertions.length === 0
          ? {}
          : { dataQualityAssertions: { ...facet('DataQualityAssertionsDatasetFacet', '1-0-1'), assertions } }),
      },
    }
  })
  const failure = facet('ErrorMessageRunFacet', '1-0-0')
  return {
    eventType: eventTypes[state.status],
    eventTime: at,
    producer,
    schemaURL: `${schemas}/2-0-2/OpenLineage.json#/$defs/RunEvent`,
    run: {
      runId,
      facets:
        state.status === 'failed'
          ? { errorMessage: { ...failure, message: state.error, programmingLanguage: 'TypeScript' } }
          : {},
    },
    job: { namespace, name: state.run.policy.name, facets: {} },
    inputs,
    outputs: [],
  }
}
