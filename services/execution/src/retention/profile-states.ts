import type { Artifacts } from '@assay/artifacts'
import type { DocumentId, Documents } from '@assay/documents'
import type { Checkpoints, CommandHandler } from '@assay/event-store'
import { dayMs } from '@assay/reliability'
import { type Clock, isoTime } from '@assay/service-kit'
import { z } from 'zod'
import { assetProfiles, assetProfilesAggregate } from '../asset-profiles/aggregate.ts'
import { type AssetProfiles, hasEnded } from '../asset-profiles/asset-profiles.ts'
import { executionTables } from '../copies/tables.ts'
import { profilesFolder, unneededStates } from '../profiles/kept-state.ts'

/** The checkpoint with the last profile that a sweep has looked at. */
const name = 'execution-profile-states'
const context = { actor: 'retention' }
const defaultPerSweep = 10_000

const place = z.object({ tenant: z.string(), id: z.int() })
type Place = z.infer<typeof place>

/** A checkpoint only increases, so the time comes first. */
const positionAt = (now: number, last: Place | undefined) => `${isoTime(now)} ${last ? JSON.stringify(last) : ''}`
function placeIn(position = ''): Place | undefined {
  const [, text = ''] = /^\S* (.*)$/s.exec(position) ?? []
  return text === '' ? undefined : place.parse(JSON.parse(text))
}

/** The files to remove: all but the figures, and all files of the profiles that keep their states. Pure. */
function unneededFiles(
  { profiles }: AssetProfiles,
  unneeded: ReadonlySet<number>,
  root: string,
  keys: readonly string[],
): string[] {
  const kept = new Set(profiles.flatMap(({ asked: { id } }) => (unneeded.has(id) ? [] : [id])))
  const figures = new Set(
    profiles.flatMap((one) => (one.status === 'succeeded' ? [`${one.result.key}/${one.result.file}`] : [])),
  )
  // Names of folders begin with the id of the profile.
  const idOf = (key: string) => Number.parseInt(key.slice(root.length + 1), 10)
  return keys.filter((key) => !figures.has(key) && !kept.has(idOf(key)))
}

type Each = <Found extends { tenant: string; id: DocumentId }>(
  all: AsyncIterable<Found>,
  failed: string,
  work: (found: Found) => Promise<void>,
) => Promise<void>

/**
 * Removes the states of profiles that no later profile or run can use, and the values that INCREMENTAL profiles kept.
 * `each`: handles documents until a stop. `fence`: of the lease under which this process sweeps. `perSweep`: maximum
 * number of profiles that one sweep looks at; the next one continues after them.
 */
export function createProfileStates(deps: {
  documents: Pick<Documents, 'get' | 'scan'>
  artifacts: Pick<Artifacts, 'list' | 'remove'>
  commands: CommandHandler
  checkpoints: Pick<Checkpoints, 'get' | 'set'>
  clock: Clock
  retentionDays: number
  fence(): number
  each: Each
  perSweep?: number
}): { remove(): Promise<void> } {
  const { documents, artifacts, commands, checkpoints, clock, retentionDays, fence, each } = deps
  const { perSweep = defaultPerSweep } = deps

  /** A table that is only missing in its source may return, so it counts as gone after the retention. */
  async function isGone(tenant: string, assetId: number, until: string): Promise<boolean> {
    const table = (await documents.get(executionTables, tenant, assetId))?.document.table
    return table?.isDeleted === true && (table.deletedWith !== undefined || (table.deletedAt ?? '') <= until)
  }

  async function removeOf(tenant: string, assetId: number, endedUntil: string, gone: boolean): Promise<void> {
    const { state } = await commands.load(assetProfilesAggregate, tenant, assetId)
    // An open profile may be reading the states. A later sweep returns.
    if (!state.profiles.every(hasEnded)) return
    const profileIds = unneededStates(state, { isGone: gone, endedUntil })
    if (profileIds.length === 0) return
    // Removes the files first: if the process dies before the event, a later sweep repeats both.
    const root = profilesFolder(tenant, assetId)
    const keys = (await artifacts.list(root)).map(({ key }) => key)
    for (const key of unneededFiles(state, new Set(profileIds), root, keys)) await artifacts.remove(key)
    const command = { type: 'RemoveProfileStates' as const, assetId, at: isoTime(clock.now()), profileIds }
    await commands.handle(assetProfilesAggregate, { tenant, id: assetId, command, context })
  }

  return {
    async remove() {
      const until = isoTime(clock.now() - retentionDays * dayMs)
      const where = [{ field: 'mayHaveStates', is: true }]
      let last = placeIn(await checkpoints.get(name))
      const all = documents.scan(assetProfiles, { where, after: last })
      async function* some() {
        let looked = 0
        for await (const found of all) {
          yield found
          last = { tenant: found.tenant, id: found.document.asked.id }
          looked += 1
          if (looked === perSweep) return
        }
        last = undefined
      }
      await each(some(), 'states of profiles could not be removed', async ({ tenant, document }) => {
        const { assetId } = document.asked
        const gone = await isGone(tenant, assetId, until)
        if (gone || (hasEnded(document) && document.finishedAt <= until)) await removeOf(tenant, assetId, until, gone)
      })
      await checkpoints.set(name, positionAt(clock.now(), last), fence())
    },
  }
}
