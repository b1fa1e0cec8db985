import { AssayError } from '@assay/service-kit/errors'

/** `path`: names from the assembly down, `null` for a column. */
type OfAsset = { assetId: number; uid: string; path: string[] | null; at: string; by: string }
type Pair = { key: string; value: string }

export type UdfVariableCreated = { type: 'UdfVariableCreated'; data: OfAsset & Pair & { variableId: number } }
export type UdfVariableUpdated = {
  type: 'UdfVariableUpdated'
  data: OfAsset & Pair & { variableId: number; before: Pair }
}
export type UdfVariableDeleted = { type: 'UdfVariableDeleted'; data: OfAsset & { variableId: number; before: Pair } }
export type UdfVariableEvent = UdfVariableCreated | UdfVariableUpdated | UdfVariableDeleted

export type KnownVariable = { id: number; key: string; value: string; createdAt: string; updatedAt: string }
/** The variables of one asset, in order of creation. `assetId` is 0 until there is one. */
export type UdfVariablesState = { assetId: number; path: string[] | null; variables: KnownVariable[] }

export type CreateUdfVariable = OfAsset & Pair & { type: 'CreateUdfVariable'; variableId: number }
/** `undefined` means that it stays. */
export type UpdateUdfVariable = OfAsset & {
  type: 'UpdateUdfVariable'
  variableId: number
  key: string | undefined
  value: string | undefined
}
export type DeleteUdfVariable = OfAsset & { type: 'DeleteUdfVariable'; variableId: number }
export type UdfVariableCommand = CreateUdfVariable | UpdateUdfVariable | DeleteUdfVariable

const maxVariables = 200

export const initialUdfVariables: UdfVariablesState = { assetId: 0, path: null, variables: [] }

/** The state after an event. */
export function evolveUdfVariables(state: UdfVariablesState, event: UdfVariableEvent): UdfVariablesState {
  const { assetId, path, variableId, at } = event.data
  const others = state.variables.filter(({ id }) => id !== variableId)
  switch (event.type) {
    case 'UdfVariableCreated': {
      const { key, value } = event.data
      return { assetId, path, variables: [...others, { id: variableId, key, value, createdAt: at, updatedAt: at }] }
    }
    case 'UdfVariableUpdated': {
      const { key, value } = event.data
      const variables = state.variables.map((known) =>
        known.id === variableId ? { ...known, key, value, updatedAt: at } : known,
      )
      return { assetId, path, variables }
    }
    case 'UdfVariableDeleted':
      return { assetId, path, variables: others }
    default:
      return event satisfies never
  }
}

/** The variable with that id. Throws `not-found`. */
export function variableOf(state: UdfVariablesState, id: number): KnownVariable {
  const known = state.variables.find((variable) => variable.id === id)
  if (known === undefined) throw new AssayError('not-found', 'The asset has no such variable.')
  return known
}

function requireFree(state: UdfVariablesState, key: string, own: number): void {
  if (key.trim() === '') throw new AssayError('unprocessable', 'key: must not be empty.')
  if (/[{}]/.test(key))
    throw new AssayError('unprocessable', 'key: must not contain braces, because expressions write it as ${key}.')
  if (state.variables.some((known) => known.key === key && known.id !== own))
    throw new AssayError(
      'unprocessable',
      `key: the asset already has a variable '${key}'. Choose another key, or update that variable.`,
    )
}

function create({ type: _, ...data }: CreateUdfVariable, state: UdfVariablesState): UdfVariableEvent[] {
  requireFree(state, data.key, data.variableId)
  if (state.variables.length >= maxVariables)
    throw new AssayError('unprocessable', `An asset has at most ${maxVariables} variables. Delete one first.`)
  return [{ type: 'UdfVariableCreated', data }]
}

function update(command: UpdateUdfVariable, state: UdfVariablesState): UdfVariableEvent[] {
  const { type: _, key: newKey, value: newValue, ...of } = command
  const known = variableOf(state, command.variableId)
  if (newKey === undefined && newValue === undefined)
    throw new AssayError('unprocessable', 'Give a key, a value or both: there is nothing to update.')
  const before = { key: known.key, value: known.value }
  const key = newKey ?? before.key
  const value = newValue ?? before.value
  requireFree(state, key, known.id)
  if (key === before.key && value === before.value) return []
  return [{ type: 'UdfVariableUpdated', data: { ...of, key, value, before } }]
}

function remove({ type: _, ...of }: DeleteUdfVariable, state: UdfVariablesState): UdfVariableEvent[] {
  const { key, value } = variableOf(state, of.variableId)
  return [{ type: 'UdfVariableDeleted', data: { ...of, before: { key, value } } }]
}

/** The events of a command on the variables of an asset. Keys are unique, because they share one stream. */
export function decideUdfVariables(command: UdfVariableCommand, state: UdfVariablesState): UdfVariableEvent[] {
  switch (command.type) {
    case 'CreateUdfVariable':
      return create(command, state)
    case 'UpdateUdfVariable':
      return update(command, state)
    case 'DeleteUdfVariable':
      return remove(command, state)
    default:
      return command satisfies never
  }
}
