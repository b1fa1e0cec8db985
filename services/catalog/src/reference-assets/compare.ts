import type { SchemaChangeKind } from '@assay/contracts'
import {
  type ColumnDistribution,
  changesBetween,
  type Distributions,
  type FoundChange,
  inCommonBins,
  inShares,
  jensenShannonDistance,
} from '@assay/reliability'
import type { ReferenceVerdict } from '../asset-reference/asset-reference.ts'

/** Distances up to this one do not count as drift (Jensen-Shannon in base 2, 0 to 1). */
const usualLimit = 0.1
/** Maximum number of standard deviations that count as chance. */
const deviations = 4
/** Maximum sentences of one kind in a verdict. */
const maxNamed = 20

/** One column compared with the reference's. */
export interface ColumnDrift {
  name: string
  distance: number
  limit: number
}

/**
 * The distance that chance alone causes between two samples of one distribution, of `n` and `m` rows. For such samples,
 * 8 ln 2 / (1/n + 1/m) times the divergence approximately follows a chi-square distribution with `bins` - 1 degrees of
 * freedom.
 */
function chanceDistance(bins: number, n: number, m: number): number {
  const freedom = Math.max(1, bins - 1)
  const high = freedom + deviations * Math.sqrt(2 * freedom)
  return Math.sqrt((high * (1 / n + 1 / m)) / (8 * Math.LN2))
}

const rowsIn = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)

/** How far a column has drifted; `undefined` if either side has no rows, or they have no bins in common. */
export function columnDrift(reference: ColumnDistribution, current: ColumnDistribution): ColumnDrift | undefined {
  const counts = inCommonBins(reference, current)
  if (counts === undefined) return undefined
  const [n, m] = [rowsIn(counts.reference), rowsIn(counts.current)]
  if (n === 0 || m === 0) return undefined
  const [before, now] = [inShares(counts.reference), inShares(counts.current)]
  const bins = before.filter((share, index) => share > 0 || (now[index] ?? 0) > 0).length
  const limit = Math.max(usualLimit, Math.min(1, chanceDistance(bins, n, m)))
  return { name: reference.name, distance: jensenShannonDistance(before, now), limit }
}

function named(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ''
  return [`${what}: ${names.slice(0, maxNamed).join(', ')}${more}.`]
}

const isUnmeasured = ({ kind }: ColumnDistribution) => kind === 'unmeasured'

function namedUnmeasured(columns: readonly ColumnDistribution[]): string[] {
  return named(
    'Columns that are not compared, because the engine could not read their values; a profile of the asset says why',
    columns.map(({ name }) => name),
  )
}

const nameOf = ({ name }: { name: string }) => name
const retypedText = ({ name, from, to }: FoundChange) => `${name} (${from} in the reference, now ${to})`

/** The columns of a schema, in any order: a sample does not say whether a column may be NULL. */
const columnsOf = ({ columns }: Distributions) =>
  columns.map(({ name, dataType }) => ({ name, dataType, nullable: null }))

/** The measured columns. */
function schemaOf(found: Distributions): NonNullable<ReferenceVerdict['inferredSchema']> {
  return found.columns.map(({ name, dataType, nulls }) => ({ name, dataType, nullable: nulls > 0 }))
}

/** The verdict of the job that measures the baseline: WARNING if columns could not be measured. Pure. */
export function baselineVerdict(baseline: Distributions): ReferenceVerdict {
  const unmeasured = namedUnmeasured(baseline.columns.filter(isUnmeasured))
  const sentences = ['This is the baseline: later data is measured against it.', ...unmeasured]
  return {
    count: baseline.rows,
    status: unmeasured.length > 0 ? 'WARNING' : 'SUCCESSFUL',
    message: sentences.join(' '),
    inferredSchema: schemaOf(baseline),
  }
}

/**
 * Compares schema and distributions of new data with its reference, as policies of schema and data drift do. ERRORED if
 * columns are missing, have another type, or have drifted beyond chance and the usual limit. WARNING if there are only new
 * columns, wider types, or columns that cannot be measured or compared. Pure.
 */
export function compareWithReference(reference: Distributions, current: Distributions): ReferenceVerdict {
  const currentOf = new Map(current.columns.map((column) => [column.name, column]))
  const both = reference.columns.flatMap((column) => {
    const now = currentOf.get(column.name)
    return now === undefined ? [] : [{ column, now }]
  })
  const changes = changesBetween(columnsOf(reference), columnsOf(current))
  const changed = (...kinds: readonly SchemaChangeKind[]) => changes.filter(({ kind }) => kinds.includes(kind))
  const [missing, added] = [changed('REMOVED'), changed('ADDED')]
  const [retyped, widened] = [changed('TYPE_CHANGED', 'TYPE_NARROWED'), changed('TYPE_WIDENED')]
  const unlike = both.filter(
    ({ column, now }) => column.kind === 'values' && now.kind === 'values' && column.hashedBy !== now.hashedBy,
  )
  const unmeasured = both.filter(({ column, now }) => isUnmeasured(column) || isUnmeasured(now))
  const moved = both.flatMap(({ column, now }) => {
    const drift = columnDrift(column, now)
    return drift !== undefined && drift.distance > drift.limit ? [drift] : []
  })
  const isEmpty = current.rows === 0 && reference.rows > 0
  const sentences = [
    ...(isEmpty ? ['There are no rows.'] : []),
    ...named('Columns that are missing', missing.map(nameOf)),
    ...named('Columns of another type', retyped.map(retypedText)),
    ...named(
      'Columns whose values have another distribution',
      moved
        .sort((a, b) => b.distance - a.distance)
        .map(({ name, distance, limit }) => `${name} (distance ${distance.toFixed(3)}, limit ${limit.toFixed(3)})`),
    ),
    ...named('Columns that the reference does not have', added.map(nameOf)),
    ...named('Columns of a wider type', widened.map(retypedText)),
    ...named(
      'Columns that cannot be compared until the reference is measured again, because another version of the engine measured it',
      unlike.map(({ column }) => column.name),
    ),
    ...namedUnmeasured(unmeasured.map(({ column }) => column)),
  ]
  const isBad = isEmpty || missing.length > 0 || retyped.length > 0 || moved.length > 0
  return {
    count: current.rows,
    status: isBad
      ? 'ERRORED'
      : added.length + widened.length + unlike.length + unmeasured.length > 0
        ? 'WARNING'
        : 'SUCCESSFUL',
    message: sentences.length === 0 ? null : sentences.join(' '),
    inferredSchema: schemaOf(current),
  }
}
