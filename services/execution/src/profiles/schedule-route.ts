import { nextRuns, profileOperations } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandHandler, ReadYourWrites } from '@assay/event-store'
import { type Clock, isoTime, type Route, route, seenOf } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { assetProfilesAggregate } from '../asset-profiles/aggregate.ts'
import { executionAssetSettings } from '../copies/asset-settings.ts'
import { executionTables } from '../copies/tables.ts'

const shownTimes = 5

/** The upcoming and skipped profiles of an asset's schedule. */
export function profileScheduleRoute(deps: {
  documents: Documents
  commands: Pick<CommandHandler, 'load'>
  readYourWrites: ReadYourWrites
  clock: Clock
}): Route {
  const { documents, commands, readYourWrites, clock } = deps
  return route(profileOperations.getProfileSchedule, async (call) => {
    const { tenant } = call.identity
    const { id } = call.params
    await readYourWrites(seenOf(call, 'catalog'))
    const table = (await documents.get(executionTables, tenant, id))?.document.table
    if (table === undefined) throw new AssayError('not-found', 'There is no such asset, or it has no rows.')
    // The stream follows the settings shortly after they were written, so it would not show every caller its own write.
    const settings = (await documents.get(executionAssetSettings, tenant, id))?.document.settings
    const { schedule = null, profilingType = null } = (table.isDeleted ? undefined : settings?.profiles) ?? {}
    const { state } = await commands.load(assetProfilesAggregate, tenant, id)
    const times = schedule && nextRuns(schedule.cronExpression, schedule.timeZone, clock.now(), shownTimes)
    return {
      body: {
        scheduled: schedule !== null,
        cronExpression: schedule?.cronExpression ?? null,
        timeZone: schedule?.timeZone ?? null,
        profilingType,
        nextRuns: (times ?? []).map(isoTime),
        skipped: [...state.bySchedule.skipped],
      },
    }
  })
}
