import { maskText, withoutValues } from '@assay/contracts'
import { findColumnPath, type Mask } from '@assay/data-engine'
import type { EachSide } from '@assay/reliability'
import type { Execution } from '../execution/execution.ts'
import type { SideName, SideResult } from '../execution/run.ts'
import { bySide, bySideInTurn } from '../execution/sides.ts'
import type { Copies } from '../references/copies.ts'
import { memoized } from '../references/memoized.ts'
import { type Dependence, protectedDependence } from '../references/protected-definition.ts'
import { touchesOfRun } from '../references/touches.ts'
import type { MasksFor, Viewer } from '../rows/mask.ts'
import { markerOf } from '../running/run-window.ts'
import type { KnownExecution, KnownTable, Versions } from '../versions/versions.ts'

const hiddenError = 'This depends on protected columns: seeing it requires the permission ASSET_PROTECTED_VIEW.'

/** The parts of a result that depend on values that the caller may not see. */
export interface HiddenParts {
  items: ReadonlySet<number>
  /** The number of rows, because a filter or marker on a protected column decides it. */
  rows: boolean
}

/**
 * A run as the caller may see it. With `hidden`, the verdict, the score and the counts are omitted, both of the run and
 * of the hidden items. With `hidesValues`, a table of the run has columns that the caller may not see; `hidesColumn` says
 * which.
 */
export type ShownExecution = KnownExecution & {
  hidden?: HiddenParts
  hidesValues?: boolean
  hidesColumn?: (side: SideName, column: string) => boolean
}
/** Runs with their definitions, as far as the caller may see them. */
export interface ShownRuns {
  one(call: Viewer, state: Execution): Promise<ShownExecution>
  /** For many runs, reads their definitions together. */
  all(call: Viewer, states: readonly Execution[]): Promise<ShownExecution[]>
}

/** The ids of the items that a run evaluates. Pure. */
export function itemsOf({ definition, itemSelection }: KnownExecution['run']): number[] {
  return [...new Set(definition.reads(itemSelection).map(({ itemId }) => itemId))]
}

/** The parts of a run with a verdict that depend on protected values; `undefined` means none. Pure. */
export function hiddenPartsOf({ run }: KnownExecution, dependence: Dependence): HiddenParts | undefined {
  const items = itemsOf(run)
  if (dependence.onFilter || dependence.onMarker) return { items: new Set(items), rows: true }
  const hidden = items.filter((id) => dependence.items.has(id))
  return hidden.length === 0 ? undefined : { items: new Set(hidden), rows: false }
}

/**
 * The parts of a run that depend on columns that are protected now, on any side. Protection at the time of the run does
 * not matter.
 */
export async function dependenceOfRun(documents: Copies, tenant: string, state: KnownExecution): Promise<Dependence> {
  const { run } = state
  const { definition } = run
  const reads = definition.reads(run.itemSelection)
  const found = await bySideInTurn(run.tables, (table) => {
    const { side } = table
    const result = state.status === 'succeeded' ? state.result.sides.find((one) => one.side === side) : undefined
    const { viewSources, timeColumns = [] } = result ?? {}
    const filter = definition.sides.find((one) => one.side === side)?.filter ?? null
    const ofSide = reads
      .filter((one) => one.side === side)
      .map((one) => ({ ...one, columns: [...one.columns, ...timeColumns] }))
    const parts = { table, filter, markers: [markerOf(run, table)], reads: ofSide, viewSources }
    return protectedDependence(documents, tenant, parts, touchesOfRun(state, side))
  })
  return {
    onFilter: found.some(({ onFilter }) => onFilter),
    onMarker: found.some(({ onMarker }) => onMarker),
    items: new Set(found.flatMap(({ items }) => [...items])),
  }
}

export function createShownRuns(deps: { masksFor: MasksFor; documents: Copies; versions: Versions }): ShownRuns {
  const { masksFor, documents, versions } = deps
  /** One cache per call, because rows of a listing need the same tables and tags. */
  const ofCalls = new WeakMap<Viewer, Copies>()

  async function shownTo(call: Viewer, state: KnownExecution): Promise<ShownExecution> {
    const { permissions, tenant } = call.identity
    if (permissions.has('ASSET_PROTECTED_VIEW') || (state.status !== 'failed' && state.status !== 'succeeded'))
      return state
    const copies = ofCalls.get(call) ?? memoized(documents)
    ofCalls.set(call, copies)
    const masks = await masksFor(call, state, copies)
    const isMasked = masks.some((mask) => mask !== null)
    const hidden = hiddenPartsOf(state, await dependenceOfRun(copies, tenant, state))
    if (state.status === 'failed')
      return !isMasked && hidden === undefined ? state : { ...state, error: withoutValues(state.error) }
    const shown = hidden === undefined ? state : withHidden(state, hidden)
    const hidesColumn = (side: SideName, column: string) => {
      const index = state.run.tables.findIndex((table) => table.side === side)
      const mask = masks[index] ?? null
      return mask !== null && isHiddenColumn(column, mask, state.run.tables[index]?.columns ?? [])
    }
    return isMasked ? { ...maskedMarks(shown, masks), hidesValues: true, hidesColumn } : shown
  }

  return {
    one: async (call, state) => shownTo(call, await versions.of(call.identity.tenant, state)),
    all: async (call, states) => {
      const known = await versions.ofAll(call.identity.tenant, states)
      return Promise.all(known.map((state) => shownTo(call, state)))
    },
  }
}

/** True even if no row was above the marker: a missing marker position would reveal this. */
const followsMarker = ({ run, result }: Extract<KnownExecution, { status: 'succeeded' }>): boolean =>
  result.markKey !== null || run.executionType === 'INCREMENTAL'

/** Hides the highest value read of a hidden column. Times of files stay: they are not values. Pure. */
function maskedMarks(state: ShownExecution, masks: EachSide<Mask | null>): ShownExecution {
  if (state.status !== 'succeeded' || !followsMarker(state)) return state
  const { run, result } = state
  const isHidden = ({ side }: SideResult) =>
    run.tables.some(
      (table, index) => table.side === side && hidesMark(markerOf(run, table), masks[index] ?? null, table),
    )
  const marks = result.sides.flatMap((side) => (isHidden(side) && side.mark !== null ? [side.mark] : []))
  const outcomes = result.outcomes.map((outcome) => {
    const { note } = outcome
    return note ? { ...outcome, note: marks.reduce((text, mark) => text.replaceAll(mark, maskText), note) } : outcome
  })
  return { ...state, result: { ...result, sides: bySide(result.sides, withoutMark(isHidden)), outcomes } }
}

function hidesMark(
  marker: { type: string; columnName?: unknown } | null,
  mask: Mask | null,
  { columns }: Pick<KnownTable, 'columns'>,
): boolean {
  if (mask === null || marker === null || marker.type === 'FileEventMarkerConfig') return false
  return typeof marker.columnName !== 'string' || isHiddenColumn(marker.columnName, mask, columns)
}

/** Hides a missing marker position too, because it would reveal that no value is above the marker. */
const withoutMark = (isHidden: (side: SideResult) => boolean) => (side: SideResult) =>
  isHidden(side) ? { ...side, mark: maskText } : side

/** The run without the outcomes of its hidden items, and without values that derive from them. Pure. */
export function withHidden(
  state: Extract<KnownExecution, { status: 'succeeded' }>,
  hidden: HiddenParts,
): ShownExecution {
  const { result } = state
  const outcomes = result.outcomes.map((outcome) =>
    hidden.items.has(outcome.itemId)
      ? {
          ...outcome,
          resultPercentage: null,
          rowsScanned: null,
          rowsFailed: null,
          value: maskText,
          error: hiddenError,
          note: null,
        }
      : outcome,
  )
  const shown = hidden.rows
    ? {
        ...result,
        sides: bySide(
          result.sides,
          withoutMark(() => followsMarker(state)),
        ),
      }
    : result
  const judged = (result.judged ?? []).filter(({ itemId }) => itemId !== null && !hidden.items.has(itemId))
  return { ...state, hidden, result: { ...shown, outcomes, judged, qualityScore: null, scoreError: null } }
}

/** A field of a structure is as hidden as its column. */
function isHiddenColumn(name: string, mask: Mask, columns: readonly { name: string; dataType: string }[]): boolean {
  if (mask === 'all' || mask.nested) return true
  return mask.columns.has(findColumnPath(columns, name)?.column ?? name)
}
