import { notificationOperations as operations, watchDenied } from '@assay/contracts'
import type { ReadYourWrites } from '@assay/event-store'
import { type Caller, type Route, route, seenOf } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { Assets } from '../copies/assets.ts'
import { type Narrowing, narrowingOf } from '../watch/watch.ts'
import { assetWatcherOf } from './watch-record.ts'
import type { Watching } from './watching.ts'

type Named = { id: number } | { uid: string }

/** The id of the asset that a call names. Throws `forbidden`. */
export type AssetOf = (call: Caller, named: Named) => Promise<number>

export function createAssetOf(deps: { assets: Assets; readYourWrites: ReadYourWrites }): AssetOf {
  const { assets, readYourWrites } = deps

  async function knownAsset(tenant: string, named: Named): Promise<number | undefined> {
    if ('uid' in named) return assets.idOf(tenant, named.uid)
    return (await assets.exists(tenant, named.id)) ? named.id : undefined
  }

  return async (call, named) => {
    const { tenant } = call.identity
    const known = await knownAsset(tenant, named)
    if (known !== undefined) return known
    // The message about an asset that the caller has just crawled may not have arrived yet.
    await readYourWrites(seenOf(call, 'catalog'))
    const id = await knownAsset(tenant, named)
    if (id === undefined) throw new AssayError('forbidden', watchDenied)
    return id
  }
}

/** Begins and ends watches of assets for the key's owner. A missing asset gets the same answer as a forbidden one. */
export function watchingRoutes({ assetOf, watching }: { assetOf: AssetOf; watching: Watching }): Route[] {
  async function begin(call: Caller, named: Named, narrowing: Partial<Narrowing>) {
    const { watch, states } = await watching.begin(call, { assetId: await assetOf(call, named) }, narrowing)
    return { body: { data: assetWatcherOf(watch) }, states }
  }

  async function end(call: Caller, named: Named) {
    return { states: await watching.end(call, { assetId: await assetOf(call, named) }) }
  }

  return [
    route(operations.watchAsset, (call) => begin(call, call.params, narrowingOf(call.body))),
    route(operations.watchAssetByUid, (call) => begin(call, call.params, narrowingOf(call.body))),
    route(operations.unwatchAsset, (call) => end(call, call.params)),
    route(operations.unwatchAssetByUid, (call) => end(call, call.params)),
  ]
}
