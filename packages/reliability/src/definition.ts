import { didYouMean } from '@assay/contracts'
import { findColumnPath } from '@assay/data-engine'

/** A column for the planner: its name and the engine's name of its type. */
export interface PlannedColumn {
  name: string
  dataType: string
  /** Omitted if unknown. */
  nullable?: boolean | undefined
}

/** Why an item can never work; `path` is relative to the item, such as `value.pattern`. */
export interface Problem {
  path: string
  message: string
}

/** Stops the planning of one item. Never leaves this package. */
export class ImpossibleDefinition extends Error {
  readonly problem: Problem

  constructor(path: string, message: string) {
    super(message)
    this.name = 'ImpossibleDefinition'
    this.problem = { path, message }
  }
}

/**
 * The column of that name, or the field of a structure (`address.city`). Case-sensitive, because some sources
 * distinguish `Id` from `id`.
 */
export function namedColumn(columns: readonly PlannedColumn[], name: string): PlannedColumn | undefined {
  const found = findColumnPath(columns, name)
  return found && { name, dataType: found.dataType }
}

/** The sentence for a missing column, with the existing column of the most similar name. `of`: a noun for the table. */
export function missingColumn(name: string, columns: readonly { name: string }[], of = 'asset'): string {
  return `the ${of} has no column '${name}'${didYouMean(
    name,
    columns.map((column) => column.name),
  )}`
}

/** Like `namedColumn`; throws a problem at `path` if there is none. */
export function knownColumn(columns: readonly PlannedColumn[], name: string, path: string): PlannedColumn {
  const found = namedColumn(columns, name)
  if (found !== undefined) return found
  throw new ImpossibleDefinition(path, missingColumn(name, columns))
}

/** The column of an item whose kind requires one. */
export function requiredColumn(columns: readonly PlannedColumn[], name: string | null): PlannedColumn {
  if (name === null) throw new ImpossibleDefinition('columnName', 'is needed: this measurement reads one column')
  return knownColumn(columns, name, 'columnName')
}

/** The text, or `undefined` if it is blank. */
export function writtenText(text: string | null): string | undefined {
  return text === null || text.trim() === '' ? undefined : text
}
