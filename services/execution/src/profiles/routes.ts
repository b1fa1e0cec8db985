import type { Artifacts } from '@assay/artifacts'
import type { ShownTable } from '@assay/catalog-copies'
import { profileOperations as operations, type TableMessage } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandHandler, ReadYourWrites } from '@assay/event-store'
import { type Caller, type Clock, commandContext, isoTime, type Route, route, seenOf } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { Worker } from '@assay/work'
import { assetProfiles, assetProfilesAggregate } from '../asset-profiles/aggregate.ts'
import type { AssetProfile } from '../asset-profiles/asset-profiles.ts'
import { settingsOf } from '../copies/asset-settings.ts'
import type { AssetTargets } from '../copies/find-asset.ts'
import { executionTables } from '../copies/tables.ts'
import { protectedMarkers } from '../references/protected-definition.ts'
import { protectedNow } from '../references/tags.ts'
import { profileRecord } from './profile-record.ts'
import type { RequestProfile } from './request-profile.ts'
import { profileScheduleRoute } from './schedule-route.ts'
import { parseProfile, shownProfile, withTopValues } from './stored-profile.ts'
import { profileSuggestions } from './suggestion-routes.ts'
import { wantedOf } from './wanted-profile.ts'

/** Starting, reading and cancelling profiles of assets. */
export function profileRoutes(deps: {
  commands: CommandHandler
  documents: Documents
  artifacts: Artifacts
  assets: AssetTargets
  requestProfile: RequestProfile
  readYourWrites: ReadYourWrites
  worker: Pick<Worker, 'cancelled'>
  clock: Clock
}): Route[] {
  const { commands, documents, artifacts, assets, requestProfile, readYourWrites, worker, clock } = deps

  async function tableOf(call: Caller, assetId: number): Promise<TableMessage> {
    const { tenant } = call.identity
    await readYourWrites(seenOf(call, 'catalog'))
    const table = (await documents.get(executionTables, tenant, assetId))?.document.table
    if (table?.isDeleted)
      throw new AssayError('unprocessable', 'The asset is no longer in its source; crawl its assembly again.')
    if (table !== undefined) return table
    if ((await assets.byId(tenant, assetId)) !== undefined)
      throw new AssayError('unprocessable', 'A column has no profile of its own: profile its table.')
    throw new AssayError('not-found', 'There is no such asset, or it has no rows.')
  }

  async function profileOf(tenant: string, profileId: number, assetId?: number) {
    const found = await documents.get(assetProfiles, tenant, profileId)
    if (found === undefined || (assetId !== undefined && found.document.asked.assetId !== assetId))
      throw new AssayError('not-found', 'There is no such profile.')
    return found
  }

  async function hiddenFrom(call: Caller, table: ShownTable): Promise<ReadonlySet<number>> {
    const { tenant, permissions } = call.identity
    if (permissions.has('ASSET_PROTECTED_VIEW')) return new Set()
    await readYourWrites(seenOf(call, 'catalog'))
    return protectedNow(documents, tenant, table)
  }

  async function recordFor(call: Caller, profile: AssetProfile) {
    return profileRecord(profile, profile.status === 'failed' && (await hiddenFrom(call, profile.asked)).size > 0)
  }

  return [
    route(operations.startProfile, async (call) => {
      const { tenant, user } = call.identity
      const assetId = call.params.id
      const table = await tableOf(call, assetId)
      const wanted = wantedOf(call.body.data, table, await settingsOf(documents, tenant, assetId))
      const { permissions } = call.identity
      if (wanted.markerConfig !== null && !permissions.has('ASSET_PROTECTED_VIEW')) {
        if (await protectedMarkers(documents, tenant, { table, markers: [wanted.markerConfig] }))
          throw new AssayError(
            'forbidden',
            'data.markerConfig: reads a protected column, which requires ASSET_PROTECTED_VIEW.',
          )
      }
      const accepted = await requestProfile({ tenant, table, wanted, by: user, context: commandContext(call) })
      if (accepted === undefined) throw new AssayError('internal', 'The profile was not accepted.')
      return { body: { data: await recordFor(call, accepted) } }
    }),
    route(operations.getLatestProfile, async (call) => {
      const found = await documents.find(assetProfiles, call.identity.tenant, {
        where: [{ field: 'assetId', is: call.params.id }],
        sort: [{ field: 'id', direction: 'desc' }],
        size: 1,
      })
      const [latest] = found.documents
      if (latest === undefined)
        throw new AssayError('not-found', 'There is no such asset, or no profile of it was started yet.')
      return { body: { data: await recordFor(call, latest) } }
    }),
    route(operations.getProfile, async (call) => {
      const found = await profileOf(call.identity.tenant, call.params.profileId, call.params.id)
      const profileRequest = await recordFor(call, found.document)
      return { body: { profileRequest, data: profileRequest } }
    }),
    route(operations.getProfileResult, async (call) => {
      const { id: assetId, profileId } = call.params
      const { document } = await profileOf(call.identity.tenant, profileId, assetId)
      const profileRequest = await recordFor(call, document)
      if (document.status !== 'succeeded')
        throw new AssayError('unprocessable', `The profile has no result: it is ${profileRequest.status}.`)
      const { key, file } = document.result
      const text = await artifacts.readText(`${key}/${file}`)
      if (text === undefined) throw new AssayError('not-found', 'The figures of this profile were removed.')
      const shown = shownProfile(parseProfile(text), assetId, await hiddenFrom(call, document.asked))
      const data = { ...shown, columns: withTopValues(shown.columns) }
      return { body: { profileRequest, data } }
    }),
    route(operations.cancelProfile, async (call) => {
      const { tenant, user } = call.identity
      const { profileId } = call.params
      const { asked } = (await profileOf(tenant, profileId)).document
      const at = isoTime(clock.now())
      const command = { type: 'CancelProfile' as const, profileId, at, by: user }
      const context = commandContext(call)
      await commands.handle(assetProfilesAggregate, {
        tenant,
        id: asked.assetId,
        command,
        context,
      })
      worker.cancelled(tenant, String(profileId))
      const message = `Profile ${profileId} was cancelled.`
      const { requestId } = asked
      return { body: { result: { status: 'SUCCESS', message, requestId, isParentAvailable: false, parentList: {} } } }
    }),
    profileScheduleRoute({ documents, commands, readYourWrites, clock }),
    profileSuggestions({ documents, artifacts, tableOf, hiddenFrom }),
  ]
}
