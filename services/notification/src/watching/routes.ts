import { notificationOperations as operations, watchDenied } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandHandler, NumberBlocks, ReadYourWrites } from '@assay/event-store'
import { type Caller, type Clock, commandContext, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { Assets } from '../copies/assets.ts'
import { watchAggregate, watches, watchKey } from '../watch/aggregate.ts'
import { watchRecord } from './watch-record.ts'

/** Begins and ends watches of the key's owner. A missing asset gets the same answer as a forbidden one. */
export function watchingRoutes(deps: {
  commands: CommandHandler
  documents: Documents
  assets: Assets
  readYourWrites: ReadYourWrites
  numbers: NumberBlocks
  clock: Clock
}): Route[] {
  const { commands, documents, assets, readYourWrites, numbers, clock } = deps

  async function knownAsset(tenant: string, named: { id: number } | { uid: string }): Promise<number | undefined> {
    if ('uid' in named) return assets.idOf(tenant, named.uid)
    return (await assets.exists(tenant, named.id)) ? named.id : undefined
  }

  /** The id of the asset that a call names. Throws `forbidden`. */
  async function assetOf(call: Caller, named: { id: number } | { uid: string }): Promise<number> {
    const { tenant } = call.identity
    const known = await knownAsset(tenant, named)
    if (known !== undefined) return known
    // The message about an asset that the caller has just crawled may not have arrived yet.
    const readPosition = () => assets.positionOf(tenant, named)
    await readYourWrites.waitForPosition({ tenant, seen: call.seen.get('catalog'), readPosition, signal: call.signal })
    const id = await knownAsset(tenant, named)
    if (id === undefined) throw new AssayError('forbidden', watchDenied)
    return id
  }

  async function begin(call: Caller, named: { id: number } | { uid: string }) {
    const assetId = await assetOf(call, named)
    const { tenant, user } = call.identity
    const id = watchKey(user, assetId)
    const stored = await documents.get(watches, tenant, id)
    if (stored) return { body: { data: watchRecord(stored.document) }, position: stored.source.position }
    const [watchId] = await numbers.take(tenant, 'watch')
    if (watchId === undefined) throw new AssayError('internal', 'No number was given for a watch.')
    const command = { type: 'WatchAsset' as const, watchId, assetId, user, at: isoTime(clock.now()) }
    const context = commandContext(call)
    const { state, position } = await commands.handle(watchAggregate, { tenant, id, command, context })
    if (state.status !== 'watching') throw new AssayError('internal', 'The new watch is missing.')
    return { body: { data: watchRecord(state.watch) }, position }
  }

  async function end(call: Caller, named: { id: number } | { uid: string }) {
    const assetId = await assetOf(call, named)
    const { tenant, user } = call.identity
    const command = { type: 'UnwatchAsset' as const, at: isoTime(clock.now()) }
    const request = { tenant, id: watchKey(user, assetId), command, context: commandContext(call) }
    const { position } = await commands.handle(watchAggregate, request)
    return { position }
  }

  return [
    route(operations.watchAsset, (call) => begin(call, call.params)),
    route(operations.watchAssetByUid, (call) => begin(call, call.params)),
    route(operations.unwatchAsset, (call) => end(call, call.params)),
    route(operations.unwatchAssetByUid, (call) => end(call, call.params)),
  ]
}
