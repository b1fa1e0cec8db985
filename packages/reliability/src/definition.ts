/** A column as the planner needs it: its name and the engine's name of its type. */
export interface PlannedColumn {
  name: string
  dataType: string
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

/** The known column of that name. Names are compared exactly, as sources may tell `Id` from `id`. */
export function knownColumn(columns: readonly PlannedColumn[], name: string, path: string): PlannedColumn {
  const found = columns.find((column) => column.name === name)
  if (found !== undefined) return found
  throw new ImpossibleDefinition(path, `the asset has no column '${name}'`)
}

/** The item's column, which this kind of item cannot do without. */
export function requiredColumn(columns: readonly PlannedColumn[], name: string | null): PlannedColumn {
  if (name === null) throw new ImpossibleDefinition('columnName', 'is needed: this measurement looks at one column')
  return knownColumn(columns, name, 'columnName')
}
