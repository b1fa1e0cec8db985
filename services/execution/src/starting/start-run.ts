import type { ViewState } from '@assay/catalog-copies'
import { type PolicyType, type StartRequest, segmentOf, type TableMessage } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandContext, CommandHandler, NumberBlocks } from '@assay/event-store'
import type { EachSide, KindPolicy } from '@assay/reliability'
import { type Caller, type Clock, currentTrace, isoTime, type NewId, type Timers, uuidV5 } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { Worker } from '@assay/work'
import { settingsOf } from '../copies/asset-settings.ts'
import { findTable } from '../copies/find-table.ts'
import type { PolicyCopy } from '../copies/policies.ts'
import { executionAggregate } from '../execution/execution.aggregate.ts'
import type { AcceptedRun, Side } from '../execution/run.ts'
import { bySide, bySideInTurn } from '../execution/sides.ts'
import { tableIdsOf } from '../policy-runs/followed-policy.ts'
import type { Due, PolicyRuns } from '../policy-runs/policy-runs.ts'
import type { RunRegister } from '../policy-runs/run-register.ts'
import { triggerId } from '../policy-runs/triggers.ts'
import { protectedMarkers } from '../references/protected-definition.ts'
import { currentViewState } from '../references/tags.ts'
import { windowOf } from '../running/run-window.ts'
import type { SchemaVersion } from '../versions/version.ts'
import type { KnownExecution, KnownRun, Versions } from '../versions/versions.ts'
import { assertMarkersFit } from './markers-fit.ts'
import { assertStartable, assertWellFormed, openedPolicy } from './startable.ts'

export interface Start {
  tenant: string
  copy: PolicyCopy
  request: StartRequest
  executionMode: AcceptedRun['executionMode']
  /** The cause of a run that was not requested. */
  due?: Due
  /** The state of the policy's runs that led to this start, if the caller has read it. */
  seen?: PolicyRuns
  context: CommandContext
  signal: AbortSignal
  /** Permissions of the caller. Absent if no caller selected the rows. */
  permissions?: Caller['identity']['permissions']
}

export type StartRun = (start: Start) => Promise<KnownExecution>

/**
 * Accepts a run of a policy and wakes the worker. Of several concurrent starts one is accepted; the others get
 * `unprocessable`. Throws `invalid` if the request is wrong, whatever the state of the policy, and `taken` if another scheduler took the due time.
 */
export function createStartRun(deps: {
  documents: Documents
  commands: CommandHandler
  versions: Versions
  numbers: NumberBlocks
  register: RunRegister
  timers: Timers
  clock: Clock
  newId: NewId
  /** Called with each run, so that work on it begins immediately. */
  accepted: Worker['take']
}): StartRun {
  const { commands, versions, numbers, register, clock } = deps

  return async (start) => {
    const { tenant, copy, request, context } = start
    const policyId = copy.policy.rule.id
    const { policy } = copy
    const [tableId = 0] = tableIdsOf(policy)
    const of = openedPolicy(policy, await settingsOf(deps.documents, tenant, tableId))
    // Errors in a request do not depend on the state of the policy, so they are reported first.
    assertWellFormed(of, request)
    await assertMarkersFit(deps, start, of.opened)
    assertStartable(of, policy, request)
    await register.assertFree(tenant, policyId, start.seen)
    const sides = await bySideInTurn(of.opened.sides, async ({ side, assetId }): Promise<OpenSide> => {
      const table = await findTable(deps, { tenant, assetId, signal: start.signal })
      if (table.isDeleted)
        throw new AssayError('unprocessable', `${table.uid} is no longer in its source; crawl its assembly again.`)
      const schema = schemaOf(table, await currentViewState(deps.documents, tenant, table))
      return { side, table, schema: await versions.keep(tenant, schema, context) }
    })
    const [executionId] = await numbers.take(tenant, 'execution')
    if (executionId === undefined) throw new AssayError('internal', 'No id was reserved for the execution.')
    const startedAt = isoTime(clock.now())
    const fresh = { executionId, startedAt, requestId: requestIdOf(policy.rule.type, deps.newId()) }
    const definition = await versions.keep(tenant, { kind: 'POLICY', type: policy.rule.type, ...of.kept }, context)
    const run = acceptedRunOf(start, of.opened, sides, { ...fresh, definition })
    const known = (await versions.of(tenant, { run })).run
    for (const [index, table] of known.tables.entries())
      windowOf(known, table, { dataset: sides[index]?.table.locator, mark: null })
    await assertOpenMarkers(deps.documents, start, known)
    const learned = (await register.open(tenant, policyId, executionId, context, start.due)) ?? copy.baseline
    try {
      const command = { type: 'AcceptExecution' as const, run: learned === undefined ? run : { ...run, learned } }
      const { state } = await commands.handle(executionAggregate, {
        tenant,
        id: executionId,
        command,
        context,
        isNew: true,
      })
      if (state.status === 'none' || state.status === 'abandoned') {
        throw new AssayError('internal', 'The execution was not accepted.')
      }
      deps.accepted({ tenant, id: String(executionId), startedAt: run.startedAt })
      return { ...state, run: known }
    } catch (error) {
      // If this fails too, the sweep closes the run half a minute later.
      await register.abandon(tenant, policyId, executionId).catch(() => undefined)
      throw error
    }
  }
}

function requestIdOf(type: PolicyType, id: string): string {
  return `${segmentOf(type)}-${id}`
}

/** If callers could select rows by protected values, the number of rows found would reveal these values. */
async function assertOpenMarkers(documents: Documents, { tenant, permissions }: Start, run: KnownRun): Promise<void> {
  if (permissions === undefined || permissions.has('ASSET_PROTECTED_VIEW')) return
  for (const table of run.tables) {
    const own = run.markerConfigs?.filter(({ assetId }) => assetId === table.assetId) ?? []
    const markers = own.map(({ markerConfig }) => markerConfig ?? null)
    if (markers.length > 0 && (await protectedMarkers(documents, tenant, { table, markers })))
      throw new AssayError('forbidden', 'markerConfigs: reads a protected column, which requires ASSET_PROTECTED_VIEW.')
  }
}

/** A side of a policy with its table. */
interface OpenSide {
  side: Side['side']
  table: TableMessage
  /** Key of the version of its columns. */
  schema: string
}

/** The columns of a table, for runs. Pure. */
function schemaOf(table: TableMessage, ofView: ViewState): SchemaVersion {
  const { path } = table
  const columns = table.columns.map(({ id, name, dataType, nullable }) => ({ id, name, dataType, nullable }))
  return { kind: 'SCHEMA', columns, ...(path ? { path } : {}), ...ofView }
}

function sideOf({ side, table, schema }: OpenSide): Side {
  const { assetId, uid, name, assemblyId, assemblyName, sourceTypeId, sourceTypeName } = table
  return { side, assetId, uid, name, assemblyId, assemblyName, sourceTypeId, sourceTypeName, schema }
}

function causeOf(tenant: string, policyId: number, { scheduled, trigger, deadline }: Due = {}): AcceptedRun['cause'] {
  if (scheduled !== undefined) {
    const { nominal } = scheduled
    return { kind: 'SCHEDULE', id: uuidV5(tenant, String(policyId), nominal), nominal }
  }
  if (deadline !== undefined) return { kind: 'DEADLINE', id: 'deadline', at: deadline }
  if (trigger === undefined) return { kind: 'REQUEST' }
  const id = triggerId(trigger)
  return trigger.kind === 'CRAWL'
    ? { kind: 'CRAWL', id, revision: trigger.revision }
    : { kind: 'PROFILE', id, profileId: trigger.profileId }
}

function acceptedRunOf(
  { tenant, copy, request, executionMode, due, context }: Start,
  { sides }: KindPolicy,
  open: EachSide<OpenSide>,
  { definition, ...fresh }: Pick<AcceptedRun, 'executionId' | 'startedAt' | 'requestId'> & { definition: string },
): AcceptedRun {
  const { id, version, type, name, includeInQualityScore } = copy.policy.rule
  const selected = request.ruleItemSelections
  const trace = currentTrace()
  return {
    ...fresh,
    ...(trace.traceparent === undefined ? {} : { trace }),
    executionMode,
    // A policy with a marker runs INCREMENTAL by default, whoever starts it.
    executionType: request.executionType ?? (sides.some(({ marker }) => marker !== null) ? 'INCREMENTAL' : 'FULL'),
    executedBy: context.actor,
    cause: causeOf(tenant, id, due),
    includeInQualityScore: request.includeInQualityScore ?? includeInQualityScore,
    itemSelection: selected === undefined || selected.length === 0 ? null : [...new Set(selected)],
    sparkResourceConfig: request.sparkResourceConfig ?? null,
    markerConfigs: request.markerConfigs ?? null,
    policy: { id, version, type, name, definition },
    sides: bySide(open, sideOf),
    configuration: copy.configuration,
  }
}
