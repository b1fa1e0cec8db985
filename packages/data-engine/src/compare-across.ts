import type { Compared, ComparedTable, ComparePlan } from './compare.ts'
import type { BySide, ComparedSources, SideName, SourceSide } from './compared-source.ts'
import type { ValuesPlan } from './listed-values.ts'
import type { ListedValues } from './plan.ts'
import type { MeasureCall, ProfileCall } from './port.ts'
import type { DatasetProfile, ProfilePlan } from './profile.ts'
import type { RowSink } from './row-sink.ts'
import type { TakenRows, TakePlan } from './take.ts'

/** Opens the sides that other engines read, for as long as `work` runs. */
export type OpenSides = (call: MeasureCall, work: (sides: BySide<SourceSide>) => Promise<Compared>) => Promise<Compared>

/** Opens one table that another engine reads, for as long as `work` runs. */
export type OpenTable<T> = (call: MeasureCall, work: (table: SourceSide) => Promise<T>) => Promise<T>

/**
 * The engine that compares tables of several engines, or of another engine and its own, and that profiles tables of
 * other engines, stores their rows, and gives them values for lookups.
 */
export interface Comparer {
  /** The different values of a column, for another engine. Errors: `too-large` beyond `listedLimits`, `invalid`. */
  listValues(plan: ValuesPlan, call: MeasureCall): Promise<ListedValues>
  profileAcross(plan: ProfilePlan, open: OpenTable<DatasetProfile>, call: ProfileCall): Promise<DatasetProfile>
  takeAcross(plan: TakePlan, open: OpenTable<TakenRows>, call: MeasureCall & { rows: RowSink }): Promise<TakenRows>
  compareAcross(plan: ComparePlan, open: OpenSides, call: MeasureCall & { rows: RowSink }): Promise<Compared>
}

/** Tables of one source, and the engine that reads them. `order`: the same for all comparisons. */
export interface SidesOfSource {
  engine: ComparedSources
  order: string
  tables: { [side in SideName]?: ComparedTable }
}

/**
 * Opens the sides of several sources. Every comparison opens sessions of its sources in the same order, so that two
 * comparisons never wait for each other.
 */
export function openInOrder(groups: readonly SidesOfSource[]): OpenSides {
  const sorted = [...groups].sort((one, other) => (one.order < other.order ? -1 : 1))
  const opened = (
    rest: readonly SidesOfSource[],
    call: MeasureCall,
    sides: BySide<SourceSide>,
    work: Parameters<OpenSides>[1],
  ): Promise<Compared> => {
    const [first, ...more] = rest
    if (first === undefined) return work(sides)
    return first.engine.withSides(first.tables, call, (found) => opened(more, call, { ...sides, ...found }, work))
  }
  return (call, work) => opened(sorted, call, {}, work)
}
