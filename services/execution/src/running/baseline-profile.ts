import type { Artifacts } from '@assay/artifacts'
import { columnState } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import {
  type BaselineProfile,
  type BaselineRuns,
  canMerge,
  mergeProfiles,
  type ProfileState,
  windowMs,
} from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'
import { executions } from '../execution/execution.documents.ts'
import type { Execution } from '../execution/execution.ts'
import type { AcceptedRun } from '../execution/run.ts'

/** The file with the profile of a run, next to its metadata. */
export const profileStateFile = 'profile-state.json'

/** Artifacts return at most 16 MiB as text. A run with a larger profile keeps none. */
const maxBytes = 15 * 1024 * 1024
/** Maximum number of runs of a window whose profiles are merged: the latest ones. */
const maxMerged = 500
const pageSize = 50

const keptProfile = z.object({ rows: z.int(), columns: z.array(columnState) })

/** The text of a profile; `undefined` if it is too large to be kept. Pure. */
export function keptProfileText({ rows, columns }: ProfileState): string | undefined {
  const text = JSON.stringify({ rows, columns })
  return Buffer.byteLength(text) > maxBytes ? undefined : text
}

interface Reading {
  documents: Pick<Documents, 'get' | 'find'>
  artifacts: Pick<Artifacts, 'readText'>
}

/**
 * The profiles of the earlier runs that are the baseline of a run, merged as long as they have the same columns.
 * `undefined`: none of them kept one. Error: `unprocessable` if a single named run has none.
 */
export async function readBaseline(
  deps: Reading,
  tenant: string,
  run: Pick<AcceptedRun, 'executionId' | 'startedAt' | 'policy' | 'sides'>,
  { scope, baseline }: { scope: string; baseline: BaselineRuns | null },
): Promise<BaselineProfile | undefined> {
  if (baseline === null) return undefined
  if (baseline.type === 'EXECUTION') return ofExecution(deps, tenant, run, baseline.executionId)
  const { most, from } = limitsOf(baseline, Date.parse(run.startedAt))
  let merged: BaselineProfile | undefined
  let count = 0
  for await (const earlier of earlierRuns(deps, tenant, run, from)) {
    if (earlier.status !== 'succeeded' || earlier.result.profileScope !== scope) continue
    const state = await profileOf(deps, earlier)
    if (state === undefined) continue
    if (merged !== undefined && !canMerge(merged.state, state)) break
    const { executionId } = earlier.run
    merged = {
      from: executionId,
      to: merged?.to ?? executionId,
      state: merged === undefined ? state : mergeProfiles(merged.state, state),
    }
    count += 1
    if (count === most) break
  }
  return merged
}

function limitsOf(baseline: Exclude<BaselineRuns, { type: 'EXECUTION' }>, now: number): { most: number; from: number } {
  if (baseline.type === 'PREVIOUS') return { most: 1, from: 0 }
  const ms = windowMs(baseline.window)
  if (ms === undefined) return { most: Math.min(maxMerged, baseline.window.window), from: 0 }
  return { most: maxMerged, from: now - ms }
}

/** The successful runs of the policy before a run, latest first. */
async function* earlierRuns(
  { documents }: Reading,
  tenant: string,
  { executionId, policy }: Pick<AcceptedRun, 'executionId' | 'policy'>,
  from: number,
): AsyncGenerator<Execution> {
  const query = {
    where: [
      { field: 'policyId', is: policy.id },
      { field: 'executionStatus', is: 'SUCCESSFUL' },
      { field: 'startedAt', from },
    ],
    sort: [
      { field: 'startedAt', direction: 'desc' as const },
      { field: 'id', direction: 'desc' as const },
    ],
    size: pageSize,
  }
  for (let page = 0; ; page += 1) {
    const found = await documents.find(executions, tenant, { ...query, page })
    for (const earlier of found.documents) if (earlier.run.executionId !== executionId) yield earlier
    if (found.documents.length < pageSize) return
  }
}

async function ofExecution(
  deps: Reading,
  tenant: string,
  { sides }: Pick<AcceptedRun, 'sides'>,
  id: number,
): Promise<BaselineProfile> {
  const found = (await deps.documents.get(executions, tenant, id))?.document
  const state = found && keepsProfile(found, sides[0].assetId) ? await profileOf(deps, found) : undefined
  if (state !== undefined) return { from: id, to: id, state }
  const sentence = `Execution ${id}, the baseline of this policy, no longer has a profile of this asset. Name another one.`
  throw new AssayError('unprocessable', sentence)
}

/** Whether a run kept a profile of a table. Pure. */
export function keepsProfile(run: Execution | undefined, assetId: number | undefined): boolean {
  return run?.status === 'succeeded' && run.result.profileScope !== undefined && run.run.sides[0].assetId === assetId
}

/** The profile that a run kept; `undefined` if it kept none, or if it has passed its retention. */
async function profileOf({ artifacts }: Reading, earlier: Execution): Promise<ProfileState | undefined> {
  if (earlier.status !== 'succeeded' || earlier.result.profileScope === undefined) return undefined
  const text = await artifacts.readText(`${earlier.result.files.metadata.key}/${profileStateFile}`)
  return text === undefined ? undefined : keptProfile.safeParse(JSON.parse(text)).data
}
