import { maskText, type ProfileFigures, profileFigures } from '@assay/contracts'
import { type DatasetProfile, isMasked, isTemporal, type Mask, maskOfTable, parseType } from '@assay/data-engine'
import { figuresOf, noMoreFigures } from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'

/** The file with the statistics. */
export const profileFile = 'profile.json'

const stored = profileFigures.extend({
  columns: z.array(
    profileFigures.shape.columns.element.omit({ masked: true }).extend({
      /** The asset id that the column had when it was measured, because columns can be renamed. */
      assetId: z.int().nullable(),
    }),
  ),
})
export type StoredProfile = z.infer<typeof stored>

/** The statistics in their stored form. Pure. */
export function storedProfile(
  { rows, columns, columnsLeftOut, partitions, warnings, elapsedMs }: DatasetProfile,
  table: { columns: readonly { id: number; name: string }[] },
): StoredProfile {
  const ids = new Map(table.columns.map(({ id, name }) => [name, id]))
  return {
    rows,
    columnsLeftOut,
    partitions: partitions === undefined ? null : { ...partitions, reused: partitions.total - partitions.scanned },
    warnings,
    elapsedMs,
    columns: columns.map((column) => ({
      ...figuresOf(column),
      assetId: ids.get(column.name) ?? null,
    })),
  }
}

const columnsOnly = z.looseObject({ columns: z.array(z.looseObject({})) })

/** Older profiles lack some figures: they are null. */
function withNewFigures(text: unknown): unknown {
  const { columns, ...others } = columnsOnly.parse(text)
  return { partitions: null, ...others, columns: columns.map((column) => ({ ...noMoreFigures, ...column })) }
}

/** Throws `internal` if the stored text has another form. */
export function parseProfile(text: string): StoredProfile {
  try {
    return stored.parse(withNewFigures(JSON.parse(text)))
  } catch (cause) {
    throw new AssayError('internal', 'The stored figures of this profile cannot be read.', { cause })
  }
}

type ShownColumn = ProfileFigures['columns'][number]

/** The number of frequent values that are shown. Suggestions use all stored ones. */
const shownTop = 10

/** The most frequent finite values of each column. Pure. */
export function withTopValues<C extends Pick<ShownColumn, 'dataType' | 'mostFrequent'>>(columns: readonly C[]): C[] {
  const notFinite: ReadonlySet<unknown> = new Set(['NaN', 'Infinity', '-Infinity', 'infinity', '-infinity'])
  return columns.map((column) => {
    const type = parseType(column.dataType)
    const canBeInfinite = type.kind === 'float' || isTemporal(type)
    const isFiniteValue = ({ value }: { value: unknown }) => !canBeInfinite || !notFinite.has(value)
    return { ...column, mostFrequent: column.mostFrequent.filter(isFiniteValue).slice(0, shownTop) }
  })
}

/**
 * The statistics as a caller may see them. `protectedAssets`: the table, or columns of it, that are hidden from the
 * caller. Pure.
 */
export function shownProfile(
  profile: StoredProfile,
  assetId: number,
  protectedAssets: ReadonlySet<number>,
): ProfileFigures {
  const known = profile.columns.flatMap(({ assetId: id, name }) => (id === null ? [] : [{ id, name }]))
  const mask: Mask | null =
    protectedAssets.size === 0 ? null : maskOfTable({ assetId, columns: known }, protectedAssets)
  const columns = profile.columns.map(({ assetId: id, ...column }) => {
    const masked = mask !== null && isMasked({ name: column.name, type: column.dataType }, mask)
    if (!masked) return { ...column, masked }
    const { count, nullPercentage, unique, duplicates } = column
    const nothing = {
      ...{ mean: null, standardDeviation: null, minLength: null, maxLength: null, notFinite: null },
      ...{ ...noMoreFigures, count, nullPercentage, unique, duplicates },
    }
    return { ...column, ...nothing, masked, min: maskText, max: maskText, quantiles: [], mostFrequent: [] }
  })
  return { ...profile, columns }
}
