import { isDeepStrictEqual } from 'node:util'
import type { ItemRecord } from '@assay/contracts'
import type { Prepare } from '@assay/hosting/ports'
import type { Identity } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { Definition, Target } from '../policy/definition.ts'
import { comparedParts } from './families/comparison-reads.ts'
import { record } from './families/data-quality.ts'

interface Side {
  target: Target
  filter: string | null
  filterPath: string
  markerPath: string
}

function sidesOf(definition: Definition): Side[] {
  const { target, filter } = definition
  if (!('rightTarget' in definition))
    return [{ target, filter, filterPath: 'rule.filter', markerPath: 'rule.backingAsset.marker' }]
  const { rightTarget, rightFilter } = definition
  return [
    { target, filter, filterPath: 'rule.leftFilter', markerPath: 'rule.leftBackingAsset.marker' },
    {
      target: rightTarget,
      filter: rightFilter,
      filterPath: 'rule.rightFilter',
      markerPath: 'rule.rightBackingAsset.marker',
    },
  ]
}

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
  const comparesAsBefore = before !== undefined && isComparedAlike(definition, before)
  for (const [index, side] of sidesOf(definition).entries()) {
    const known = earlier[index]
    const isSameTable = known?.target.assetId === side.target.assetId
    const filter = isSameTable && known.filter === side.filter ? null : side.filter
    const marker = isSameTable && isDeepStrictEqual(known.target.marker, side.target.marker) ? null : side.target.marker
    const name = index === 0 ? 'left' : 'right'
    const items = writtenParts(definition, comparesAsBefore && isSameTable ? before : undefined, name)
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
    if (parts.marker) throw forbidden(side.markerPath)
    const [first] = [...parts.items].sort((a, b) => a - b)
    if (first !== undefined) throw forbidden(items.find(({ item }) => item.id === first)?.path ?? 'items')
  }
}

/**
 * Whether two definitions compare the same rows of the same tables. If not, the author could choose the values that
 * protected ones are compared with, even by changing the other side only. Always true for policies on one table.
 */
function isComparedAlike(definition: Definition, before: Definition): boolean {
  if (!('rightTarget' in definition)) return true
  if (!('rightTarget' in before)) return false
  const rowsOf = ({ target, filter, rightTarget, rightFilter, timeSecondsOffset }: typeof definition) => [
    ...[target, rightTarget].map(({ assetId, marker }) => ({ assetId, marker })),
    ...[filter, rightFilter, timeSecondsOffset],
  ]
  return isDeepStrictEqual(rowsOf(definition), rowsOf(before))
}

/** A new or changed part that reads values, as a data quality item that reads the same values, and its path. */
interface WrittenPart {
  item: ItemRecord
  path: string
}

/** Only items of data quality, and comparisons, read SQL and values. */
function writtenParts(definition: Definition, before: Definition | undefined, side: 'left' | 'right'): WrittenPart[] {
  if ('mappings' in definition)
    return comparedParts(definition, before, side).map((part, place) => ({
      ...part,
      item: { ...part.item, id: place + 1 },
    }))
  return writtenItems(definition, before).map(({ item, index }) => ({
    item: { ...item, id: index + 1 },
    path: `items[${index}]`,
  }))
}

function writtenItems(definition: Definition, before: Definition | undefined) {
  if (definition.type !== 'DATA_QUALITY') return []
  const earlier = before?.type === 'DATA_QUALITY' ? before.items : []
  return definition.items.flatMap((item, index) =>
    earlier.some((one) => isDeepStrictEqual(one, item)) ? [] : [{ item: record(item), index }],
  )
}
