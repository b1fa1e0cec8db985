import { notificationOperations as operations } from '@assay/contracts'
import { type Caller, type Route, route } from '@assay/service-kit'
import { watchedSearch } from '../watch/search.ts'
import { narrowingOf, targetOf, type WatchTarget } from '../watch/watch.ts'
import type { KnownThings } from './known-things.ts'
import type { AssetOf } from './routes.ts'
import { watchRecord } from './watch-record.ts'
import type { Watching } from './watching.ts'

/** Without absent fields. */
const given = (search: object) => Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined))

/** Watches of policies, assemblies, tags and searches, and of assets in the same form. */
export function anyWatchRoutes(deps: { assetOf: AssetOf; known: KnownThings; watching: Watching }): Route[] {
  const { assetOf, known, watching } = deps

  async function check(call: Caller, { assetId, policyId, assemblyId, tagId }: WatchTarget): Promise<void> {
    if (assetId !== undefined) await assetOf(call, { id: assetId })
    if (policyId !== undefined) await known.policy(call, policyId)
    if (assemblyId !== undefined) await known.assembly(call, assemblyId)
    if (tagId !== undefined) await known.tag(call, tagId)
  }

  return [
    route(operations.createWatch, async (call) => {
      const { search, ...ids } = call.body
      const target = search === undefined ? targetOf(ids) : { search: watchedSearch.parse(given(search)) }
      await check(call, target)
      const { watch, states } = await watching.begin(call, target, narrowingOf(call.body))
      return { body: { data: watchRecord(watch) }, states }
    }),
    route(operations.changeWatch, async (call) => {
      const { watch, states } = await watching.narrow(call, call.params.id, narrowingOf(call.body))
      return { body: { data: watchRecord(watch) }, states }
    }),
    route(operations.deleteWatch, async (call) => {
      const watch = await watching.withId(call, call.params.id)
      return { states: await watching.end(call, targetOf(watch)) }
    }),
  ]
}
