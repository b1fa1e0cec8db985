import { policyOperations } from '@assay/contracts'
import { type Route, route } from '@assay/service-kit'
import type { SeenTables } from '../authoring/seen-tables.ts'
import { refusal } from '../definition/refusal.ts'
import { suggestedMappings } from '../definition/suggested-mappings.ts'
import { type NamedSide, namedTable, type Tables } from '../definition/targets.ts'

/** Suggests the mappings of two tables. */
export function suggestionRoutes({ tables, seenTables }: { tables: Tables; seenTables: SeenTables }): Route[] {
  return [
    route(policyOperations.suggestMappings, async (call) => {
      const tableOf = async (at: 'leftBackingAsset' | 'rightBackingAsset') => {
        const side: NamedSide = { at, asset: call.body[at], detailsAt: at, detailsId: undefined }
        await seenTables.waitForPosition(call, namedTable(side))
        const table = await tables.named(call.identity.tenant, side)
        if (table === undefined) throw refusal(at, 'is needed: the table, in tableAssetId or tableAssetUid')
        return table
      }
      const [left, right] = [await tableOf('leftBackingAsset'), await tableOf('rightBackingAsset')]
      return { body: { mappings: suggestedMappings(left.columns, right.columns) } }
    }),
  ]
}
