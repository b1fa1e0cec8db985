import type { Artifacts } from '@assay/artifacts'
import type { ShownTable } from '@assay/catalog-copies'
import {
  type BodyOf,
  profileOperations as operations,
  type RunMarkerConfig,
  runMarkerConfig,
  type TableMessage,
} from '@assay/contracts'
import { type DatasetLocator, datasetLocator, isOfFiles } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import type { CommandHandler, NumberBlocks, ReadYourWrites } from '@assay/event-store'
import type { TableSettings } from '@assay/reliability'
import {
  type Caller,
  type Clock,
  commandContext,
  isoTime,
  type NewId,
  type Route,
  route,
  seenOf,
} from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { createAdmission, type Worker } from '@assay/work'
import { assetProfiles, assetProfilesAggregate, profileWork } from '../asset-profiles/aggregate.ts'
import type { AskedProfile, AssetProfile } from '../asset-profiles/asset-profiles.ts'
import { settingsOf } from '../copies/asset-settings.ts'
import type { AssetTargets } from '../copies/find-asset.ts'
import { executionTables } from '../copies/tables.ts'
import { protectedMarkers } from '../references/protected-definition.ts'
import { currentViewState, protectedNow } from '../references/tags.ts'
import { profileRecord } from './profile-record.ts'
import { profileWindow } from './profile-window.ts'
import { parseProfile, shownProfile, withTopValues } from './stored-profile.ts'
import { profileSuggestions } from './suggestion-routes.ts'

/** Starting, reading and cancelling profiles of assets. */
export function profileRoutes(deps: {
  commands: CommandHandler
  documents: Documents
  artifacts: Artifacts
  numbers: NumberBlocks
  assets: AssetTargets
  readYourWrites: ReadYourWrites
  worker: Pick<Worker, 'take' | 'cancelled'>
  clock: Clock
  newId: NewId
}): Route[] {
  const { commands, documents, artifacts, numbers, assets, readYourWrites, worker, clock } = deps
  const admit = createAdmission({ documents, kind: profileWork, what: 'profiles' })

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
      const [id] = await numbers.take(tenant, 'profile')
      if (id === undefined) throw new AssayError('internal', 'No id was reserved for the profile.')
      const requestedAt = isoTime(clock.now())
      const requestId = `profile-${deps.newId()}`
      const about = {
        id,
        assetId,
        assetUid: table.uid,
        requestId,
        ...(await currentViewState(documents, tenant, table)),
      }
      const profile: AskedProfile = { ...about, ...wanted, requestedAt, requestedBy: user }
      const command = { type: 'RequestProfile' as const, profile }
      const request = { tenant, id: assetId, command, context: commandContext(call) }
      const admitted = await admit(tenant)
      const { state } = await commands.handle(assetProfilesAggregate, request).finally(() => admitted.end())
      worker.take({ tenant, id: String(id), startedAt: requestedAt })
      const accepted = state.profiles.find(({ asked }) => asked.id === id)
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
    profileSuggestions({ documents, artifacts, tableOf, hiddenFrom }),
  ]
}

/** New files are those that changed after all files of the previous profile. */
const changeTimes = runMarkerConfig.parse({ type: 'boundFileEvent' })

/** Where an INCREMENTAL profile finds new rows, if the request does not say: change times of files, or the time column. */
function usualMarker(locator: DatasetLocator, { freshnessColumn }: TableSettings): RunMarkerConfig | undefined {
  if (isOfFiles(locator)) return changeTimes
  if (freshnessColumn === null) return undefined
  return runMarkerConfig.parse({ type: 'boundDateTime', dateColumnName: freshnessColumn, fromDate: '0001-01-01' })
}

type Wanted = Pick<AskedProfile, 'profilingType' | 'markerConfig' | 'selectedColumns'>

/**
 * The request, checked against the local read model of the table. Throws `invalid` naming the field, `unprocessable`.
 */
function wantedOf(
  { profilingType, markerConfig, selectedColumns = [] }: BodyOf<typeof operations.startProfile>['data'],
  table: TableMessage,
  settings: TableSettings,
): Wanted {
  const locator = datasetLocator.safeParse(table.locator)
  if (!locator.success) throw new AssayError('unprocessable', 'This asset cannot be opened; crawl its assembly again.')
  for (const [index, name] of selectedColumns.entries())
    if (!table.columns.some((column) => column.name === name))
      throw new AssayError('invalid', `data.selectedColumns[${index}]: is not a column of this asset.`)
  const columns = [...new Set(selectedColumns)]
  switch (profilingType) {
    case 'FULL':
      return { profilingType, markerConfig: null, selectedColumns: columns }
    case 'SELECTIVE':
    case 'INCREMENTAL': {
      const marker = markerConfig ?? (profilingType === 'INCREMENTAL' ? usualMarker(locator.data, settings) : undefined)
      if (marker === undefined)
        throw profilingType === 'SELECTIVE'
          ? new AssayError('invalid', 'data.markerConfig: is required for a SELECTIVE profile, to select the rows.')
          : new AssayError(
              'unprocessable',
              'data.markerConfig: is required for an INCREMENTAL profile, unless freshnessColumnInfo of the asset names a time column.',
            )
      const wanted = { profilingType, markerConfig: marker, selectedColumns: columns }
      profileWindow(wanted, table)
      return wanted
    }
    default:
      return profilingType satisfies never
  }
}
