import type { TableMessage } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Logger } from '@assay/service-kit'
import { isAssayError, messageOf } from '@assay/service-kit/errors'
import { type DueKind, decideDue } from '@assay/work'
import { assetProfilesAggregate, profileDue } from '../asset-profiles/aggregate.ts'
import { type AssetProfiles, hasEnded, type ProfileCause } from '../asset-profiles/asset-profiles.ts'
import { executionAssetSettings } from '../copies/asset-settings.ts'
import { executionTables } from '../copies/tables.ts'
import type { RequestProfile } from '../profiles/request-profile.ts'
import { type ProfileSettings, type WantedProfile, wantedByItself } from '../profiles/wanted-profile.ts'
import { protectedMarkers } from '../references/protected-definition.ts'

interface DueProfilesDeps {
  commands: CommandHandler
  documents: Documents
  requestProfile: RequestProfile
  clock: Clock
  logger: Logger
}

const noSettings: ProfileSettings = { freshnessColumn: null }
/** How long nothing starts after a tenant had too many open profiles. */
const pauseMs = 5_000

/** Starts profiles by the schedules of assets' configurations, and after crawls of assemblies with `autoProfile`. */
export function dueProfiles(deps: DueProfilesDeps): DueKind[] {
  const { commands, documents, requestProfile, clock, logger } = deps
  /** By tenant: when the next profile may be tried, epoch milliseconds. */
  const full = new Map<string, number>()

  /** What to read; a reason if the settings do not fit to the table. */
  async function wantedFor(
    tenant: string,
    table: TableMessage,
    cause: ProfileCause,
  ): Promise<{ wanted: WantedProfile; refusal?: string }> {
    const settings = (await documents.get(executionAssetSettings, tenant, table.assetId))?.document.settings
    try {
      const wantedType = cause.kind === 'SCHEDULE' ? undefined : null
      const wanted = wantedByItself(table, settings ?? noSettings, wantedType)
      // An offset that somebody chose would tell how many values are above it.
      const chosen = settings?.marker === undefined ? [] : [settings.marker]
      if (!(await protectedMarkers(documents, tenant, { table, markers: chosen }))) return { wanted }
      return { wanted, refusal: 'The marker of the configuration reads a protected column.' }
    } catch (error) {
      if (!isAssayError(error, 'unprocessable') && !isAssayError(error, 'invalid')) throw error
      return {
        wanted: { profilingType: 'INCREMENTAL', markerConfig: null, selectedColumns: [] },
        refusal: messageOf(error),
      }
    }
  }

  /** Returns whether the due time was taken. */
  async function start(tenant: string, table: TableMessage, cause: ProfileCause, by: string): Promise<boolean> {
    if ((full.get(tenant) ?? 0) > clock.now()) return false
    const request = { tenant, table, by, context: { actor: by }, cause, ...(await wantedFor(tenant, table, cause)) }
    try {
      await requestProfile(request)
      full.delete(tenant)
      return true
    } catch (error) {
      if (!isAssayError(error, 'rate-limited')) throw error
      full.set(tenant, clock.now() + pauseMs)
      return false
    }
  }

  const isOpen = ({ profiles }: AssetProfiles) => profiles.some((profile) => !hasEnded(profile))
  const tableOf = async (tenant: string, id: number) => {
    const table = (await documents.get(executionTables, tenant, id))?.document.table
    return table?.isDeleted === false ? table : undefined
  }

  const bySchedule: DueKind = {
    kind: profileDue.schedule,
    async handle(tenant, id) {
      const { state } = await commands.load(assetProfilesAggregate, tenant, id)
      const { due, schedule } = state
      if (due === null || schedule === null || Date.parse(due) > clock.now()) return true
      const decision = decideDue(schedule, due, clock.now())
      const { scheduled } = decision
      const table = await tableOf(tenant, id)
      const why =
        decision.kind === 'skip'
          ? decision.reason
          : table === undefined
            ? 'The asset is not in its source, or has no rows.'
            : isOpen(state)
              ? 'The previous profile has not ended.'
              : undefined
      if (why === undefined && table !== undefined)
        return start(tenant, table, { kind: 'SCHEDULE', scheduled }, 'scheduler')
      const reason = why ?? ''
      const command = {
        type: 'SkipScheduledProfile' as const,
        assetId: id,
        at: isoTime(clock.now()),
        scheduled,
        reason,
      }
      await commands.handle(assetProfilesAggregate, { tenant, id, command, context: { actor: 'scheduler' } })
      logger.info({ tenant, assetId: id, nominal: scheduled.nominal, reason }, 'A scheduled profile was skipped.')
      return true
    },
  }

  const afterCrawl: DueKind = {
    kind: profileDue.crawl,
    async handle(tenant, id) {
      if ((full.get(tenant) ?? 0) > clock.now()) return false
      const { state } = await commands.load(assetProfilesAggregate, tenant, id)
      const { triggered } = state
      if (triggered === null) return true
      // An open profile may have read the table before the crawl found the change.
      const table = await tableOf(tenant, id)
      if (table === undefined || table.revision < triggered.revision || isOpen(state)) return false
      return start(tenant, table, { kind: 'CRAWL', revision: table.revision }, 'crawl')
    },
  }
  return [bySchedule, afterCrawl]
}
