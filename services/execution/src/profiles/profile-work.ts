import type { Artifacts } from '@assay/artifacts'
import type { TableMessage } from '@assay/contracts'
import {
  type DataEngine,
  type DatasetLocator,
  type DatasetProfile,
  keptLimits,
  type ProfilePlan,
} from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import type { StartCause } from '@assay/reliability'
import { type Clock, isoTime } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { ClaimedWork, WorkSource } from '@assay/work'
import { assetProfiles, assetProfilesAggregate, profileWork } from '../asset-profiles/aggregate.ts'
import type { AskedProfile, AssetProfiles, ProfileResult, RunningProfile } from '../asset-profiles/asset-profiles.ts'
import type { ProfileCommand } from '../asset-profiles/decide.ts'
import { executionTables } from '../copies/tables.ts'
import type { RunLimits } from '../dependencies.ts'
import type { RunProgress } from '../execution/run.ts'
import type { RunStreams } from '../policy-runs/run-streams.ts'
import { isAwaited, triggerRuns } from '../policy-runs/trigger-runs.ts'
import { currentViewState, datasetOf } from '../references/tags.ts'
import { rowsStaged, storeFolders } from '../running/store-folders.ts'
import {
  continued,
  fullFolders,
  isOfWholeTable,
  profilesFolder,
  readBefore,
  stateFile,
  stateFiles,
  stateFolders,
  valuesFile,
} from './kept-state.ts'
import { profileWindow } from './profile-window.ts'
import { profileFile, storedProfile } from './stored-profile.ts'

interface ProfileWorkDeps {
  commands: CommandHandler
  streams: RunStreams
  documents: Documents
  engine: Pick<DataEngine, 'profile'>
  artifacts: Artifacts
  clock: Clock
  limits: RunLimits
}

const afterProfile: ReadonlySet<StartCause> = new Set(['PROFILE'])

type ProfileRef = { tenant: string; assetId: number; profileId: number }

/**
 * Profiles as work. If a worker dies after it has stored statistics and before the profile ends, the next profile of
 * the asset removes them.
 */
export function createProfileWork(deps: ProfileWorkDeps): WorkSource<RunProgress> {
  const { commands, documents } = deps
  return {
    kind: profileWork,
    what: 'profile',
    async claim({ tenant, id: text }, claim) {
      const id = Number(text)
      const found = await documents.get(assetProfiles, tenant, id)
      if (found === undefined) return undefined
      const { assetId } = found.document.asked
      const ref = { tenant, assetId, profileId: id }
      const { state, events } = await send(commands, ref, { type: 'ClaimProfile', profileId: id, ...claim })
      const profile = state.profiles.find(({ asked }) => asked.id === id)
      if (events.length === 0 || profile?.status !== 'running') return undefined
      return claimedProfile(deps, ref, profile, state)
    },
  }
}

function send(commands: CommandHandler, { tenant, assetId: id }: ProfileRef, command: ProfileCommand) {
  return commands.handle(assetProfilesAggregate, { tenant, id, command, context: { actor: 'system' } })
}

function claimedProfile(
  deps: ProfileWorkDeps,
  ref: ProfileRef,
  claimed: RunningProfile,
  all: AssetProfiles,
): ClaimedWork<RunProgress> {
  const { commands, clock } = deps
  const { profileId } = ref
  const { fence } = claimed.claim
  const handle = (command: ProfileCommand) => send(commands, ref, command)
  const isSettled = async (result: ProfileResult) => {
    const at = isoTime(clock.now())
    const { state } = await handle({ type: 'SucceedProfile', profileId, at, fence, result })
    const profile = state.profiles.find(({ asked }) => asked.id === profileId)
    return profile?.status === 'succeeded' && profile.result.key === result.key
  }
  /** Triggers runs first: if this process dies before the second step, the profile is repeated, and the runs wait for it. */
  const triggersAndSettles = async (result: ProfileResult) => {
    const { tenant, assetId } = ref
    if (isOfWholeTable(claimed.asked)) {
      const trigger = { kind: 'PROFILE' as const, assetId, profileId, at: isoTime(clock.now()) }
      await triggerRuns(deps, tenant, trigger, afterProfile)
    }
    return isSettled(result)
  }
  return {
    what: 'profile',
    about: ref,
    renew: async (at, until, progress) => {
      const { events, state } = await handle({ type: 'ProgressProfile', profileId, at, fence, until, progress })
      if (events.length > 0) return 'held'
      const profile = state.profiles.find(({ asked }) => asked.id === profileId)
      return profile?.status === 'aborted' ? 'cancelled' : 'lost'
    },
    carryOut: async (options) => {
      const result = await measureProfile(deps, ref, claimed, all, options)
      return { succeed: () => triggersAndSettles(result), discard: () => deps.artifacts.remove(result.key) }
    },
    fail: async (at, error) => void (await handle({ type: 'FailProfile', profileId, at, fence, error })),
    release: async (at) => void (await handle({ type: 'ReleaseProfile', profileId, at, fence })),
  }
}

type CarryOut = Parameters<ClaimedWork<RunProgress>['carryOut']>[0]

/** Measures and stores. Each claim has its own key; the event that ends the profile names the key that counts. */
async function measureProfile(
  deps: ProfileWorkDeps,
  { tenant, assetId, profileId }: ProfileRef,
  { asked, claim }: RunningProfile,
  all: AssetProfiles,
  options: CarryOut,
): Promise<ProfileResult> {
  const { documents, artifacts } = deps
  const table = (await documents.get(executionTables, tenant, assetId))?.document.table
  // Before the comparison, so that a view that is redefined meanwhile is not read under its earlier key.
  const dataset = table && (await datasetOf(documents, tenant, table))
  if (table === undefined || dataset === undefined) throw notOpened(asked)
  // The earlier states, and what callers may see of this profile, depend on the view's definition at the request.
  if ((await currentViewState(documents, tenant, table)).view !== asked.view)
    throw new AssayError('unprocessable', `The view ${asked.assetUid} was redefined. Start its profile again.`)
  const stage = await artifacts.stage(tenant)
  try {
    const [last, ...older] = stateFolders(all, asked)
    const found = await readProfile(deps, { tenant, asked, table, dataset, last, folder: stage.folder }, options)
    const root = profilesFolder(tenant, assetId)
    const key = `${root}/${profileId}${claim.fence > 1 ? `.attempt-${claim.fence}` : ''}`
    const kept = new Set(
      all.profiles.flatMap((profile) => (profile.status === 'succeeded' ? [profile.result.key] : [])),
    )
    const folders = (await artifacts.list(root)).map(({ key: file }) => file.slice(0, file.lastIndexOf('/')))
    const stale = [...new Set(folders)].filter((folder) => !kept.has(folder))
    const isKept =
      asked.profilingType === 'INCREMENTAL' ||
      (isOfWholeTable(asked) && (await isAwaited(deps, tenant, assetId, afterProfile)))
    const states = isKept ? stateFiles(found) : []
    const files = [{ name: profileFile, text: JSON.stringify(storedProfile(found, table)) }, ...states]
    await options.confirm()
    // The last state stays: if this worker loses its claim, another one continues from it.
    const outdated = [...older, ...(asked.profilingType === 'FULL' ? fullFolders(all) : [])]
      .filter((folder) => folder !== last)
      .flatMap((folder) => [stateFile, valuesFile].map((file) => `${folder}/${file}`))
    const stored = { folders: [{ key, files }], stale: [...stale, ...outdated] }
    await storeFolders({ artifacts, tenant, from: stage.folder, ...stored })
    const { rows, columns } = found
    return { key, file: profileFile, rows, columns: columns.length, hasStates: states.length > 0 }
  } finally {
    await stage.discard()
  }
}

const notOpened = ({ assetUid }: AskedProfile) =>
  new AssayError('unprocessable', `The asset ${assetUid} cannot be opened; crawl its assembly again.`)

/** Reads the new rows, or all rows if the earlier profile in `last` cannot be continued. `folder`: for files. */
async function readProfile(
  { engine, artifacts, limits: all }: ProfileWorkDeps,
  {
    tenant,
    asked,
    table,
    dataset,
    last,
    folder,
  }: {
    tenant: string
    asked: AskedProfile
    table: TableMessage
    dataset: DatasetLocator
    last: string | undefined
    folder: string
  },
  { signal, onProgress }: CarryOut,
): Promise<DatasetProfile> {
  const { memoryMb, threads, maxTempMb } = all
  const limits = { timeoutMs: Math.min(all.timeoutMs, all.maxTimeoutMs), memoryMb, threads, maxTempMb }
  const after = (mark: string | null, earlier?: string) => {
    const window = profileWindow(asked, table, mark)
    const plan: ProfilePlan = {
      dataset,
      ...(window === undefined ? {} : { window }),
      ...(asked.selectedColumns.length === 0 ? {} : { columns: asked.selectedColumns }),
      ...(asked.profilingType === 'INCREMENTAL' ? { keepValues: { earlier, limits: keptLimits } } : {}),
    }
    return engine.profile(plan, { tenant, signal, onProgress, limits, rows: rowsStaged(folder) })
  }
  const before = await readBefore(artifacts, last, folder)
  const merged = before && continued(await after(before.state.mark, before.values), before.state)
  return merged ?? after(null)
}
