import type { BackingAssetInput, TableMessage } from '@assay/contracts'
import type { DefinitionFrame } from '../policy/definition.ts'
import { type CheckContext, checkFilter, checkMarker } from './check-side.ts'
import type { NamedSides, Sides } from './targets.ts'

interface Sent {
  rule?:
    | { backingAsset?: BackingAssetInput | undefined; details?: { backingAssetId?: number | undefined } | undefined }
    | undefined
}

/** The table of a request for a policy on one. */
export const sideNamed = ({ rule }: Sent): NamedSides => ({
  main: {
    at: 'rule.backingAsset',
    asset: rule?.backingAsset,
    detailsAt: 'rule.details.backingAssetId',
    detailsId: rule?.details?.backingAssetId,
  },
})

/**
 * The part of a family whose policies are on one table. Checks the marker, `own` rules, and then the filter. Accepts every
 * definition of an unknown table.
 */
export const onOneTable = <Own>(
  own: (definition: Own, table: TableMessage, context: CheckContext) => void | Promise<void>,
) => ({
  sidesNamed: sideNamed,
  async check(definition: Own & DefinitionFrame, { main }: Sides, context: CheckContext): Promise<void> {
    if (main === undefined) return
    checkMarker(definition.target, main, 'rule.backingAsset')
    await own(definition, main, context)
    await checkFilter(definition.filter, main, 'rule.filter', context)
  },
})
