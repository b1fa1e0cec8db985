import type { RuleAnswer, StartRequest, TableMessage } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandContext, CommandHandler, NumberBlocks } from '@assay/event-store'
import { type Caller, type Clock, currentTrace, isoTime, type NewId, type Timers, uuidV5 } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { findTable } from '../copies/find-table.ts'
import type { PolicyCopy } from '../copies/policies.ts'
import { executionAggregate } from '../execution/execution.aggregate.ts'
import type { Execution } from '../execution/execution.ts'
import type { AcceptedRun } from '../execution/run.ts'
import type { DueRun } from '../policy-runs/policy-runs.ts'
import type { RunRegister } from '../policy-runs/run-register.ts'
import { protectedDependence } from '../references/protected-definition.ts'
import { windowOf } from '../running/run-window.ts'
import type { Worker } from '../running/worker.ts'
import { assertStartable } from './startable.ts'

export interface Start {
  tenant: string
  copy: PolicyCopy
  request: StartRequest
  executionMode: AcceptedRun['executionMode']
  /** Of a run that is due by the schedule. */
  scheduled?: DueRun
  context: CommandContext
  signal: AbortSignal
  /** Of the caller; absent: the schedule, which chooses nothing. */
  permissions?: Caller['identity']['permissions']
}

export type StartRun = (start: Start) => Promise<{ state: Execution; position: string | undefined }>

/**
 * Accepts a run of a policy and wakes the worker. Of many at once one is accepted, the others are refused with
 * `unprocessable`. Errors: those of `assertStartable`, then these; `taken` where a due time was taken by another scheduler.
 */
export function createStartRun(deps: {
  documents: Documents
  commands: CommandHandler
  numbers: NumberBlocks
  register: RunRegister
  timers: Timers
  clock: Clock
  newId: NewId
  /** Told of each run, so that work on it begins at once. */
  accepted: Worker['take']
}): StartRun {
  const { commands, numbers, register, clock } = deps

  return async (start) => {
    const { tenant, copy, request, context } = start
    const policyId = copy.policy.rule.id
    const { policy } = copy
    assertStartable(policy, request)
    await register.assertFree(tenant, policyId)
    const assetId = policy.rule.backingAsset.tableAssetId
    const table = await findTable(deps, { tenant, assetId, signal: start.signal })
    const [executionId] = await numbers.take(tenant, 'execution')
    if (executionId === undefined) throw new AssayError('internal', 'No number for the execution was given.')
    const run = acceptedRunOf(start, policy, table, {
      executionId,
      startedAt: isoTime(clock.now()),
      requestId: `data-quality-${deps.newId()}`,
    })
    windowOf(run, null)
    await assertOpenMarkers(deps.documents, start, run)
    await register.open(tenant, policyId, executionId, context, start.scheduled)
    try {
      const command = { type: 'AcceptExecution' as const, run }
      const { state, position } = await commands.handle(executionAggregate, {
        tenant,
        id: executionId,
        command,
        context,
      })
      if (state.status === 'none' || state.status === 'forsaken') {
        throw new AssayError('internal', 'The execution was not accepted.')
      }
      deps.accepted({ tenant, id: executionId, startedAt: run.startedAt })
      return { state, position }
    } catch (error) {
      // Where this fails too, the reaper closes the run half a minute later.
      await register.forsake(tenant, policyId, executionId).catch(() => undefined)
      throw error
    }
  }
}

/** A window that the starter chooses by protected values would tell them by what is found in it. */
async function assertOpenMarkers(
  documents: Documents,
  { tenant, permissions }: Start,
  run: AcceptedRun,
): Promise<void> {
  const markers = run.markerConfigs?.map(({ markerConfig }) => markerConfig ?? null) ?? []
  if (permissions === undefined || permissions.has('ASSET_PROTECTED_VIEW') || markers.length === 0) return
  const parts = { table: run.table, filter: null, markers, items: [] }
  if (!(await protectedDependence(documents, tenant, parts, 'now')).onMarker) return
  throw new AssayError('forbidden', 'markerConfigs: reads a protected column; that needs ASSET_PROTECTED_VIEW.')
}

function acceptedRunOf(
  { tenant, copy, request, executionMode, scheduled, context }: Start,
  policy: RuleAnswer,
  table: TableMessage,
  fresh: Pick<AcceptedRun, 'executionId' | 'startedAt' | 'requestId'>,
): AcceptedRun {
  const { revision: _revision, isDeleted: _isDeleted, ...found } = table
  const selected = request.ruleItemSelections
  const trace = currentTrace()
  return {
    ...fresh,
    ...(trace.traceparent === undefined ? {} : { trace }),
    executionMode,
    // What a policy has a marker for is read once, whoever starts it.
    executionType: request.executionType ?? (policy.rule.backingAsset.marker === null ? 'FULL' : 'INCREMENTAL'),
    executedBy: context.actor,
    includeInQualityScore: request.includeInQualityScore ?? policy.rule.includeInQualityScore,
    itemSelection: selected === undefined || selected.length === 0 ? null : [...new Set(selected)],
    sparkResourceConfig: request.sparkResourceConfig ?? null,
    markerConfigs: request.markerConfigs ?? null,
    scheduleInstanceId: scheduled ? uuidV5(tenant, String(policy.rule.id), scheduled.nominal) : null,
    policy,
    configuration: copy.configuration,
    table: found,
  }
}
