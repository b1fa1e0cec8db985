import type { AssemblyMessage, TableMessage } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { Checkpoints, CommandHandler } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { assetProfiles, assetProfilesAggregate } from '../asset-profiles/aggregate.ts'
import type { ProfileCommand } from '../asset-profiles/decide.ts'
import { executionAssetSettings } from '../copies/asset-settings.ts'
import { catchUpOnce } from '../copies/catch-up-once.ts'
import { executionDatabases } from '../copies/databases.ts'
import { tableChanges } from '../copies/table-changes.ts'
import { executionTables } from '../copies/tables.ts'
import { tableWalkAggregate } from '../table-walks/table-walk.aggregate.ts'
import type { CrawledAssembly } from '../table-walks/table-walk.ts'

const context = { actor: 'system' }

/** Starts automatic profiles by messages of the catalog. A repeated message starts none. */
export interface FollowCatalog {
  /** Call it after the settings or the table are stored: schedules the profiles of the asset, or ends the schedule. */
  schedule(tenant: string, assetId: number): Promise<void>
  /** Call it before the table is stored: another schema or new data needs a new profile. */
  changedTable(tenant: string, table: TableMessage): Promise<void>
  /** Call it after the table is stored: a table that a crawl has found gets its first profile. */
  table(tenant: string, table: TableMessage): Promise<void>
  /** Call it before the assembly is stored: requests a walk through its tables if it was crawled again. */
  assembly(tenant: string, assembly: AssemblyMessage): Promise<void>
  /** The walk has reached a table, which may have changed with the crawl. */
  crawled(tenant: string, table: TableMessage, crawl: CrawledAssembly): Promise<void>
  /** Schedules profiles of settings that were stored earlier. Runs once for each installation, by a checkpoint. */
  catchUp(): Promise<void>
}

/** The source does not say whether such a table has changed, so each crawl may have found other data. */
const mayHaveChanged = ({ data }: TableMessage) => (data?.lastChangedAt ?? null) === null

export function createFollowCatalog(deps: {
  commands: CommandHandler
  documents: Documents
  checkpoints: Pick<Checkpoints, 'get' | 'set'>
  clock: Clock
}): FollowCatalog {
  const { commands, documents, checkpoints, clock } = deps
  const handle = (tenant: string, id: number, command: ProfileCommand) =>
    commands.handle(assetProfilesAggregate, { tenant, id, command, context })

  async function trigger(
    tenant: string,
    { assetId, revision }: TableMessage,
    crawl: Extract<ProfileCommand, { type: 'TriggerProfile' }>['crawl'] = null,
  ) {
    await handle(tenant, assetId, { type: 'TriggerProfile', assetId, at: isoTime(clock.now()), revision, crawl })
  }

  const hasProfile = async (tenant: string, assetId: number) => {
    const where = [{ field: 'assetId', is: assetId }]
    return (await documents.find(assetProfiles, tenant, { where, size: 1 })).documents.length > 0
  }
  const isProfiled = async (tenant: string, { assemblyId, isDeleted }: TableMessage) =>
    !isDeleted && (await documents.get(executionDatabases, tenant, assemblyId))?.document.autoProfile === true

  async function schedule(tenant: string, assetId: number) {
    const settings = (await documents.get(executionAssetSettings, tenant, assetId))?.document.settings
    if (settings === undefined) return
    const { state } = await commands.load(assetProfilesAggregate, tenant, assetId)
    if (settings.profiles === undefined && state.bySchedule.schedule === null) return
    const isDeleted = (await documents.get(executionTables, tenant, assetId))?.document.table.isDeleted === true
    const wanted = isDeleted ? null : (settings.profiles?.schedule ?? null)
    const at = isoTime(clock.now())
    await handle(tenant, assetId, { type: 'ScheduleProfiles', assetId, at, schedule: wanted })
  }

  return {
    schedule,
    async changedTable(tenant, table) {
      if (mayHaveChanged(table) || !(await isProfiled(tenant, table))) return
      const before = (await documents.get(executionTables, tenant, table.assetId))?.document.table
      if (before !== undefined && tableChanges(before, table).size > 0) await trigger(tenant, table)
    },
    async table(tenant, table) {
      await schedule(tenant, table.assetId)
      if ((await isProfiled(tenant, table)) && !(await hasProfile(tenant, table.assetId))) await trigger(tenant, table)
    },
    async assembly(tenant, { assemblyId, revision, autoProfile = false, isDeleted, lastCrawl }) {
      if (!autoProfile || isDeleted || lastCrawl === undefined) return
      const known = await documents.get(executionDatabases, tenant, assemblyId)
      if (known?.document.crawledAt === lastCrawl.endedAt) return
      const crawl = { ...lastCrawl, revision }
      const command = { type: 'WalkTables' as const, assemblyId, at: isoTime(clock.now()), crawl }
      await commands.handle(tableWalkAggregate, { tenant, id: assemblyId, command, context })
    },
    async crawled(tenant, table, { begunAt, endedAt }) {
      if (table.isDeleted) return
      if (mayHaveChanged(table) || !(await hasProfile(tenant, table.assetId)))
        await trigger(tenant, table, { begunAt, endedAt })
    },
    catchUp: () =>
      catchUpOnce(checkpoints, 'execution-profiles-scheduled', async () => {
        for await (const { tenant, document } of documents.scan(executionAssetSettings))
          if (document.settings.profiles !== undefined) await schedule(tenant, document.settings.assetId)
      }),
  }
}
