import type { TableMessage } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Logger } from '@assay/service-kit'
import { isAssayError, messageOf } from '@assay/service-kit/errors'
import { type DueKind, decideDue } from '@assay/work'
import { assetProfilesAggregate, profileDue } from '../asset-profiles/aggregate.ts'
import { type AssetProfiles, hasEnded, type ProfileCause } from '../asset-profiles/asset-profiles.ts'
import type { ProfileCommand } from '../asset-profiles/decide.ts'
import { executionAssetSettings } from '../copies/asset-settings.ts'
import { executionDatabases } from '../copies/databases.ts'
import { executionTables } from '../copies/tables.ts'
import type { RequestProfile } from '../profiles/request-profile.ts'
import { automaticProfile, type ProfileSettings, type WantedProfile } from '../profiles/wanted-profile.ts'
import { protectedMarkers } from '../references/protected-definition.ts'

interface DueProfilesDeps {
  commands: CommandHandler
  documents: Documents
  requestProfile: RequestProfile
  clock: Clock
  logger: Logger
}

const noSettings: ProfileSettings = { freshnessColumn: null }
/** Shown for a profile that could not be planned. */
const unplanned: WantedProfile = { profilingType: 'INCREMENTAL', markerConfig: null, selectedColumns: [] }

/** Starts profiles by the schedules of assets' configurations, and after crawls of assemblies with `autoProfile`. */
export function dueProfiles(deps: DueProfilesDeps): DueKind[] {
  const { commands, documents, requestProfile, clock, logger } = deps

  /** What to read; a reason if the settings do not match the table. */
  async function wantedFor(
    tenant: string,
    table: TableMessage,
    cause: ProfileCause,
  ): Promise<{ wanted: WantedProfile; refusal?: string }> {
    const settings = (await documents.get(executionAssetSettings, tenant, table.assetId))?.document.settings
    try {
      const wantedType = cause.kind === 'SCHEDULE' ? (settings?.profiles?.profilingType ?? null) : null
      const wanted = automaticProfile(table, settings ?? noSettings, wantedType)
      if (wanted.markerConfig === null || settings?.marker === undefined) return { wanted }
      // A chosen offset would reveal how many values are above it.
      if (!(await protectedMarkers(documents, tenant, { table, markers: [settings.marker] }))) return { wanted }
      return { wanted, refusal: 'The marker of the configuration reads a protected column.' }
    } catch (error) {
      if (!isAssayError(error, 'unprocessable') && !isAssayError(error, 'invalid')) throw error
      return { wanted: unplanned, refusal: messageOf(error) }
    }
  }

  async function start(tenant: string, table: TableMessage, cause: ProfileCause, by: string): Promise<true | 'full'> {
    const request = { tenant, table, by, context: { actor: by }, cause, ...(await wantedFor(tenant, table, cause)) }
    try {
      await requestProfile(request)
      return true
    } catch (error) {
      if (isAssayError(error, 'rate-limited')) return 'full'
      throw error
    }
  }

  const isOpen = ({ profiles }: AssetProfiles) => profiles.some((profile) => !hasEnded(profile))
  const tableOf = async (tenant: string, id: number) =>
    (await documents.get(executionTables, tenant, id))?.document.table
  const handle = (tenant: string, id: number, command: ProfileCommand, actor: string) =>
    commands.handle(assetProfilesAggregate, { tenant, id, command, context: { actor } })

  const bySchedule: DueKind = {
    kind: profileDue.schedule,
    async handle(tenant, assetId) {
      const { state } = await commands.load(assetProfilesAggregate, tenant, assetId)
      const { due, schedule } = state.bySchedule
      if (due === null || schedule === null || Date.parse(due) > clock.now()) return true
      const decision = decideDue(schedule, due, clock.now())
      const { scheduled } = decision
      const skip = async (reason: string) => {
        const at = isoTime(clock.now())
        await handle(tenant, assetId, { type: 'SkipScheduledProfile', assetId, at, scheduled, reason }, 'scheduler')
        logger.info({ tenant, assetId, nominal: scheduled.nominal, reason }, 'A scheduled profile was skipped.')
        return true
      }
      if (decision.kind === 'skip') return skip(decision.reason)
      if (isOpen(state)) return skip('The previous profile has not ended.')
      const table = await tableOf(tenant, assetId)
      if (table === undefined || table.isDeleted) return skip('The asset is not in its source, or has no rows.')
      return start(tenant, table, { kind: 'SCHEDULE', scheduled }, 'scheduler')
    },
  }

  const afterCrawl: DueKind = {
    kind: profileDue.crawl,
    async handle(tenant, assetId) {
      const { state } = await commands.load(assetProfilesAggregate, tenant, assetId)
      const { waiting } = state.afterCrawl
      if (waiting === null) return true
      const table = await tableOf(tenant, assetId)
      // The message of the table comes shortly after the trigger.
      if (table === undefined || table.revision < waiting.revision) return false
      const assembly = await documents.get(executionDatabases, tenant, table.assemblyId)
      if (table.isDeleted || assembly?.document.autoProfile !== true) {
        await handle(tenant, assetId, { type: 'DropProfileTrigger', assetId, at: isoTime(clock.now()) }, 'crawl')
        return true
      }
      // An open profile may have read the table before the crawl found the change.
      return !isOpen(state) && start(tenant, table, { kind: 'CRAWL', revision: table.revision }, 'crawl')
    },
  }
  return [bySchedule, afterCrawl]
}
