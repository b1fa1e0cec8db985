import type { Artifacts } from '@assay/artifacts'
import type { DataEngine } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import type { ProfileState } from '@assay/reliability'
import { assetProfiles } from '../asset-profiles/aggregate.ts'
import type { AcceptedRun } from '../execution/run.ts'
import { readState } from '../profiles/kept-state.ts'
import type { MeasureOptions } from './measure-run.ts'
import type { OpenSide } from './open-sides.ts'

/** Maximum number of profiles that an asset keeps. */
const keptProfiles = 20

/**
 * Known states of a table, so that a run does not read it: those of the profile that started the run, or those of the latest
 * FULL profile if the source has not changed since. `undefined` if there are none.
 */
export async function knownProfile(
  deps: {
    documents: Pick<Documents, 'get' | 'find'>
    artifacts: Artifacts
    engine: Pick<DataEngine, 'lastChange'>
  },
  { cause }: Pick<AcceptedRun, 'cause'>,
  { dataset, given: { assetId } }: OpenSide,
  options: MeasureOptions,
): Promise<ProfileState | undefined> {
  const { documents, artifacts, engine } = deps
  const { documents: profiles } = await documents.find(assetProfiles, options.tenant, {
    where: [{ field: 'assetId', is: assetId }],
    sort: [{ field: 'id', direction: 'desc' }],
    size: keptProfiles,
  })
  const ended = profiles.flatMap((profile) => (profile.status === 'succeeded' ? [profile] : []))
  const started = ended.find(({ asked }) => cause.kind === 'PROFILE' && asked.id === cause.profileId)
  const state = started && (await readState(artifacts, started.result.key))
  if (state !== undefined) return state
  const latest = ended.find(({ asked }) => asked.profilingType === 'FULL')
  const before = latest && (await readState(artifacts, latest.result.key))
  if (before?.state === undefined) return undefined
  const now = await engine.lastChange({ dataset }, options)
  return now.state === before.state ? before : undefined
}
