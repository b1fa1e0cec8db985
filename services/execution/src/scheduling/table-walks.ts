import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { inParallel } from '@assay/service-kit/in-parallel'
import type { DueKind } from '@assay/work'
import { executionDatabases } from '../copies/databases.ts'
import { executionTables } from '../copies/tables.ts'
import type { FollowCatalog } from '../profiles/follow-catalog.ts'
import { tableWalkAggregate, tableWalkDue } from '../table-walks/table-walk.aggregate.ts'
import type { TableWalkCommand } from '../table-walks/table-walk.ts'

const context = { actor: 'crawl' }
/** Number of tables that one poll walks, so that it delays other due work by less than a second. */
const pageSize = 500
const atOnce = 16

/**
 * Triggers the profiles of the tables of crawled assemblies: one page in each poll, of the crawl that has waited longest.
 * If the process dies, the next one repeats the page; tables that were triggered already are not triggered again.
 */
export function tableWalks(deps: {
  commands: CommandHandler
  documents: Pick<Documents, 'get' | 'find'>
  profiling: Pick<FollowCatalog, 'crawled'>
  clock: Clock
}): DueKind {
  const { commands, documents, profiling, clock } = deps
  let isWalking = false

  async function walk(tenant: string, assemblyId: number, signal: AbortSignal): Promise<boolean> {
    const { state } = await commands.load(tableWalkAggregate, tenant, assemblyId)
    const { crawl, above } = state
    if (crawl === null) return true
    const known = await documents.get(executionDatabases, tenant, assemblyId)
    // The read model of the assembly is stored shortly after its message has requested the walk.
    if (known === undefined || known.source.revision < crawl.revision) return false
    const handle = (command: TableWalkCommand) =>
      commands.handle(tableWalkAggregate, { tenant, id: assemblyId, command, context })
    const of = { assemblyId, endedAt: crawl.endedAt }
    const where = [
      { field: 'assemblyId', is: assemblyId },
      { field: 'id', from: above + 1 },
    ]
    const found = known.document.autoProfile
      ? (await documents.find(executionTables, tenant, { where, size: pageSize })).documents
      : []
    await inParallel(found, atOnce, async ({ table }) => {
      signal.throwIfAborted()
      await profiling.crawled(tenant, table, crawl)
    })
    const at = isoTime(clock.now())
    const last = found.at(-1)
    if (last === undefined || found.length < pageSize) {
      await handle({ type: 'EndTableWalk', at, ...of })
      return true
    }
    await handle({ type: 'AdvanceTableWalk', at, above: last.table.assetId, ...of })
    return false
  }

  return {
    kind: tableWalkDue,
    async handle(tenant, assemblyId, signal) {
      if (isWalking) return 'full'
      isWalking = true
      try {
        return await walk(tenant, assemblyId, signal)
      } finally {
        isWalking = false
      }
    },
  }
}
