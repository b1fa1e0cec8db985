import { tagServiceOperations as operations } from '@assay/contracts'
import { type Route, route, type Timers } from '@assay/service-kit'
import { contextOf } from '../assemblies/assembly-routes.ts'
import type { Merging } from './merging.ts'
import { tagRecord } from './tag-records.ts'
import type { Tags } from './tags.ts'

/** Maximum time until a merge is answered, in milliseconds. Moving the associations then continues in the background. */
const moveMilliseconds = 3_000

/** Tags on their own. */
export function tagRoutes(deps: { tags: Tags; merging: Merging; timers: Timers }): Route[] {
  const { tags, merging, timers } = deps
  return [
    route(operations.createTag, async (call) => {
      const { name: value, protectedData = false } = call.body
      const tag = { keyId: null, keyName: null, value, protectedData }
      return { body: tagRecord(await tags.create(call.identity.tenant, tag, contextOf(call))) }
    }),
    route(operations.updateTag, async (call) => {
      const { name, protectedData } = call.body
      const to = { name, protectedData }
      const { tenant, permissions } = call.identity
      const by = { context: contextOf(call), permissions }
      return { body: tagRecord(await tags.change(tenant, call.params.id, to, by)) }
    }),
    route(operations.mergeTag, async (call) => {
      const { into, moved } = await merging.merge(call.identity.tenant, call.params.id, call.body.into, contextOf(call))
      const waiting = new AbortController()
      await Promise.race([moved, timers.sleep(moveMilliseconds, waiting.signal)])
      waiting.abort()
      return { body: tagRecord(into) }
    }),
  ]
}
