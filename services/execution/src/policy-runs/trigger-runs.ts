import type { Documents } from '@assay/documents'
import { kindOf, type StartCause } from '@assay/reliability'
import { policyTargets } from './policy-runs.documents.ts'
import type { RunStreams } from './run-streams.ts'
import type { Trigger } from './triggers.ts'

const system = { actor: 'system' }
const pageSize = 500

/** The ids of the policies on a table. */
export async function* policiesOn(
  documents: Pick<Documents, 'find'>,
  tenant: string,
  assetId: number,
): AsyncGenerator<number> {
  const where = [{ field: 'target', is: String(assetId) }]
  for (let page = 0; ; page += 1) {
    const { documents: targets } = await documents.find(policyTargets, tenant, { where, page, size: pageSize })
    for (const { policyId } of targets) yield policyId
    if (targets.length < pageSize) return
  }
}

interface Triggering {
  documents: Pick<Documents, 'find'>
  streams: RunStreams
}

/** The ids of the policies on a table whose type starts after one of `causes`. */
async function* startedBy(
  { documents, streams }: Triggering,
  tenant: string,
  assetId: number,
  causes: ReadonlySet<StartCause>,
): AsyncGenerator<number> {
  for await (const policyId of policiesOn(documents, tenant, assetId)) {
    const { policy } = await streams.load(tenant, policyId)
    const starts = (policy && kindOf(policy.type).startsAfter) ?? []
    if (starts.some((cause) => causes.has(cause))) yield policyId
  }
}

/** Whether a table has policies that start after one of `causes`. */
export async function isAwaited(
  deps: Triggering,
  tenant: string,
  assetId: number,
  causes: ReadonlySet<StartCause>,
): Promise<boolean> {
  for await (const _ of startedBy(deps, tenant, assetId, causes)) return true
  return false
}

/** Schedules a run of each policy on a table whose type starts after one of `causes`. Idempotent. */
export async function triggerRuns(
  deps: Triggering,
  tenant: string,
  trigger: Trigger,
  causes: ReadonlySet<StartCause>,
): Promise<void> {
  for await (const policyId of startedBy(deps, tenant, trigger.assetId, causes))
    await deps.streams.handle(tenant, policyId, { type: 'TriggerRun', trigger }, system)
}
