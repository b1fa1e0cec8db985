import { policyOperations } from '@assay/contracts'
import type { ReadYourWrites } from '@assay/event-store'
import { type Route, route, seenOf } from '@assay/service-kit'
import { refusal } from '../definition/refusal.ts'
import { suggestedMappings } from '../definition/suggested-mappings.ts'
import type { NamedSide, Tables } from '../definition/targets.ts'

/** Suggests the mappings of two tables. */
export function suggestionRoutes({
  tables,
  readYourWrites,
}: {
  tables: Tables
  readYourWrites: ReadYourWrites
}): Route[] {
  return [
    route(policyOperations.suggestMappings, async (call) => {
      const tableOf = async (at: 'leftBackingAsset' | 'rightBackingAsset') => {
        const side: NamedSide = { at, asset: call.body[at], detailsAt: at, detailsId: undefined }
        const table = await tables.named(call.identity.tenant, side)
        if (table === undefined) throw refusal(at, 'is needed: the table, in tableAssetId or tableAssetUid')
        return table
      }
      await readYourWrites(seenOf(call, 'catalog'))
      const [left, right] = [await tableOf('leftBackingAsset'), await tableOf('rightBackingAsset')]
      return { body: { mappings: suggestedMappings(left.columns, right.columns) } }
    }),
  ]
}
