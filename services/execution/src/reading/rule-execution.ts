import { type RuleExecution, sparkResourceRecordOf } from '@assay/contracts'
import { hasEnded } from '../execution/execution.ts'
import type { SideName } from '../execution/run.ts'
import { executionStatusOf, jobStateOf } from '../execution/statuses.ts'
import { markerOf } from '../running/run-window.ts'
import type { ShownExecution } from './masked-outcomes.ts'
import { shownMarker } from './shown-marker.ts'
import { shownResultStatusOf } from './shown-status.ts'

/** The record of a run. All routes return the same. */
export function ruleExecutionOf(state: ShownExecution): RuleExecution {
  const { run } = state
  const { policy, definition, cause } = run
  const shown = definition.shown(run.itemSelection)
  const ended = hasEnded(state)
  return {
    id: run.executionId,
    ruleId: policy.id,
    ruleName: policy.name,
    ruleType: policy.type,
    ruleVersion: policy.version,
    parentId: null,
    executionMode: run.executionMode,
    executionStatus: executionStatusOf(state),
    resultStatus: shownResultStatusOf(state),
    executionType: run.executionType,
    startedAt: run.startedAt,
    finishedAt: ended ? state.finishedAt : null,
    executionError: errorOf(state),
    thresholdLevel: shown.thresholdLevel,
    verdictBy: shown.verdictBy,
    includeInQualityScore: run.includeInQualityScore,
    dataPersistenceEnabled: run.configuration.good.store || run.configuration.bad.store,
    ruleSelectionEnabled: run.itemSelection !== null,
    allowRerun: ended,
    isProtectedResource: shown.isProtectedResource,
    isResourceRequestedAtRunTime: run.sparkResourceConfig !== null,
    participatingColumns: shown.participatingColumns,
    policyResultStatusStrategy: shown.policyResultStatusStrategy,
    sparkSQLFilterType: shown.sparkSQLFilterType,
    rightSparkSQLFilterType: shown.rightSparkSQLFilterType,
    autoRetryEnabled: shown.autoRetryEnabled,
    persistencePath: state.status === 'succeeded' ? state.result.files.root : null,
    resultPersistencePath: state.status === 'succeeded' ? storedPaths(state.result.files) : null,
    ...markersOf(state),
    engineType: null,
    resourceStrategyType: null,
    sparkResourceConfig: sparkResourceRecordOf(run.sparkResourceConfig),
    requestId: run.requestId,
    jobState: jobStateOf(state),
    lastHealthUpdateAt: state.status === 'running' ? state.claim.renewedAt : ended ? state.finishedAt : null,
    executedBy: run.executedBy,
    scheduleInstanceId: cause.kind === 'REQUEST' ? null : cause.id,
    filter: shown.filter,
    rightFilter: shown.rightFilter,
    treatZeroRowsAsSuccess: shown.treatZeroRowsAsSuccess,
    analysisJob: null,
    resetPoint: null,
    selectedResourceInventory: null,
    autoRetries: null,
    executionRank: null,
    sourceExecutionId: null,
    analyticsPipelineId: null,
    driverPodName: null,
    rightEngineType: null,
    sparkFilterSelectedColumns: null,
    rightSparkFilterSelectedColumns: null,
    sparkSQLDynamicFilterVariableMapping: null,
    rightSparkSQLDynamicFilterVariableMapping: null,
    pipelineAdditionalConfiguration: null,
  }
}

type Markers = Pick<
  RuleExecution,
  'markerConfig' | 'lastMarker' | 'leftMarkerConfig' | 'leftLastMarker' | 'rightMarkerConfig' | 'rightLastMarker'
>

/** The markers of a run's sides and, of an INCREMENTAL run, the marker positions that it reached. */
function markersOf(state: ShownExecution): Markers {
  const of = (name: SideName) => {
    const table = state.run.tables.find(({ side }) => side === name)
    const marker = table === undefined ? null : markerOf(state.run, table)
    const sides = state.status === 'succeeded' ? state.result.sides : []
    const mark = sides.find(({ side }) => side === name)?.mark ?? null
    return {
      config: shownMarker(marker),
      last: marker === null || mark === null ? null : { ...marker, initialOffset: mark },
    }
  }
  const [one, left, right] = [of('ONE'), of('LEFT'), of('RIGHT')]
  return {
    ...{ markerConfig: one.config, lastMarker: one.last },
    ...{ leftMarkerConfig: left.config, leftLastMarker: left.last },
    ...{ rightMarkerConfig: right.config, rightLastMarker: right.last },
  }
}

function errorOf(state: ShownExecution): string | null {
  if (state.status === 'failed') return state.error
  return state.status === 'aborted' ? `Cancelled by ${state.by}.` : null
}

function storedPaths(
  files: Extract<ShownExecution, { status: 'succeeded' }>['result']['files'],
): Record<string, string> {
  return {
    metadata: files.metadata.key,
    ...(files.bad ? { bad: files.bad.key } : {}),
    ...(files.good ? { good: files.good.key } : {}),
  }
}
