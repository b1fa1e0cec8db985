type Defined = {
  query: string
  queryType: 'SQL_QUERY' | 'FILTER' | 'AGGREGATION_PIPELINE'
  description: string
  tableAlias: string | null
  backingAssetId: number | null
}
type OfView = { assetId: number; uid: string; at: string; by: string }
export type SqlViewDefined = {
  type: 'SqlViewDefined'
  /** `nameOwner`: the owner of the reserved name among the views of the assembly. */
  data: OfView & Defined & { assemblyId: number; name: string; nameOwner: string; before: Defined | null }
}
export type SqlViewDeleted = { type: 'SqlViewDeleted'; data: OfView & { name: string } }
export type SqlViewEvent = SqlViewDefined | SqlViewDeleted

export type KnownView = Defined & {
  status: 'live' | 'deleted'
  assetId: number
  uid: string
  assemblyId: number
  name: string
  nameOwner: string
  createdAt: string
  updatedAt: string
}
export type SqlViewState = { status: 'absent' } | KnownView

export type SqlViewCommand =
  | ({ type: 'DefineSqlView' } & Omit<SqlViewDefined['data'], 'before'>)
  | ({ type: 'DeleteSqlView' } & OfView)

export const initialSqlView: SqlViewState = { status: 'absent' }

function definedBy({ query, queryType, description, tableAlias, backingAssetId }: Defined): Defined {
  return { query, queryType, description, tableAlias, backingAssetId }
}

/** The state after an event. */
export function evolveSqlView(state: SqlViewState, event: SqlViewEvent): SqlViewState {
  const { at } = event.data
  if (event.type === 'SqlViewDefined') {
    const { assetId, uid, assemblyId, name, nameOwner } = event.data
    const createdAt = state.status === 'live' ? state.createdAt : at
    const of = { assetId, uid, assemblyId, name, nameOwner, createdAt, updatedAt: at }
    return { status: 'live', ...of, ...definedBy(event.data) }
  }
  return state.status === 'absent' ? state : { ...state, status: 'deleted', updatedAt: at }
}

/** The events of a command on a view; none if nothing changes. */
export function decideSqlView(command: SqlViewCommand, state: SqlViewState): SqlViewEvent[] {
  if (command.type === 'DeleteSqlView') {
    const { type: _, ...data } = command
    return state.status === 'live' ? [{ type: 'SqlViewDeleted', data: { ...data, name: state.name } }] : []
  }
  const { type: _, ...data } = command
  const before = state.status === 'live' ? definedBy(state) : null
  const isSameView = state.status === 'live' && state.nameOwner === data.nameOwner
  if (isSameView && JSON.stringify(before) === JSON.stringify(definedBy(data))) return []
  return [{ type: 'SqlViewDefined', data: { ...data, before } }]
}
