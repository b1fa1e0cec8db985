export type InferredColumn = { columnId: number; name: string; dataType: string; nullable: boolean }

export type ColumnTypesInferred = {
  type: 'ColumnTypesInferred'
  data: { tableId: number; uid: string; at: string; basis: string; columns: InferredColumn[] }
}
export type InferredTypesEvent = ColumnTypesInferred

/** The inferred types of a table's columns. `basis` changes with the table's data and columns. */
export type InferredTypesState = { tableId: number; basis: string; columns: InferredColumn[]; at: string }

export type KeepInferredTypes = ColumnTypesInferred['data'] & { type: 'KeepInferredTypes' }

export const initialInferredTypes: InferredTypesState = { tableId: 0, basis: '', columns: [], at: '' }

/** The state after an event. */
export function evolveInferredTypes(_state: InferredTypesState, event: InferredTypesEvent): InferredTypesState {
  const { tableId, basis, columns, at } = event.data
  return { tableId, basis, columns, at }
}

/** Types are inferred once per basis. */
export function decideInferredTypes(
  { type: _, ...data }: KeepInferredTypes,
  state: InferredTypesState,
): InferredTypesEvent[] {
  return state.basis === data.basis ? [] : [{ type: 'ColumnTypesInferred', data }]
}
