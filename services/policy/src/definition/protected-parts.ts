import { isDeepStrictEqual } from 'node:util'
import type { PolicyType } from '@assay/contracts'
import type { Prepare } from '@assay/hosting/ports'
import type { Identity } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { SideName } from '../families/family.ts'
import { familyOf } from '../families/table.ts'
import type { Definition, DefinitionOf } from '../policy/definition.ts'
import { sidesOf } from './sides.ts'

function forbidden(path: string): AssayError {
  const sentence = `${path}: depends on protected columns; writing it requires ASSET_PROTECTED_VIEW.`
  return new AssayError('forbidden', sentence, { details: { field: path } })
}

/**
 * Refuses conditions on the values of protected columns, because verdicts and counts would reveal them one by one.
 * Unchanged parts of other authors need no permission. Throws `forbidden` naming the field, `unavailable` if it cannot
 * be determined.
 */
export async function assertMayDepend(
  prepare: Prepare,
  { tenant, permissions }: Pick<Identity, 'tenant' | 'permissions'>,
  definition: Definition,
  before?: Definition,
): Promise<void> {
  if (permissions.has('ASSET_PROTECTED_VIEW')) return
  const earlier = before === undefined ? [] : sidesOf(before)
  for (const [index, side] of sidesOf(definition).entries()) {
    const known = earlier[index]
    const isSameTable = known?.target.assetId === side.target.assetId
    const filter = isSameTable && known.filter === side.filter ? null : side.filter
    const marker = isSameTable && isDeepStrictEqual(known.target.marker, side.target.marker) ? null : side.target.marker
    const items = readsOf(definition, isSameTable ? before : undefined, side.name)
    if (filter === null && marker === null && items.length === 0) continue
    const asked = { filter, marker, items: items.map(({ item }) => item) }
    const { assetId } = side.target
    const answer = await prepare({ tenant, assetId, locator: null, metrics: [], guarded: asked })
    const parts = answer === 'unreachable' ? undefined : answer.protectedParts
    if (parts === undefined)
      throw new AssayError(
        'unavailable',
        'Whether this depends on protected columns cannot be determined now. Try again.',
      )
    if (parts.filter) throw forbidden(side.filterPath)
    if (parts.marker) throw forbidden(`${side.assetPath}.marker`)
    const [first] = [...parts.items].sort((a, b) => a - b)
    if (first !== undefined) throw forbidden(items.find(({ item }) => item.id === first)?.path ?? 'items')
  }
}

function readsOf<Type extends PolicyType>(
  definition: DefinitionOf<Type>,
  before: DefinitionOf<Type> | undefined,
  side: SideName,
) {
  return familyOf(definition.type).reads(definition, before, side)
}
