import { describe, expect, it } from 'vitest'
import {
  decideUdfVariables,
  evolveUdfVariables,
  initialUdfVariables,
  type UdfVariableCommand,
  type UdfVariablesState,
} from './asset-udf-variables.ts'

const of = { assetId: 4, uid: 'u', path: ['u'], at: '2026-01-01', by: 'ann' }
const after = (state: UdfVariablesState, command: UdfVariableCommand) =>
  decideUdfVariables(command, state).reduce(evolveUdfVariables, state)
const create = (variableId: number, key: string, value = '1') =>
  ({ type: 'CreateUdfVariable', ...of, variableId, key, value }) as const
const update = (variableId: number, key?: string, value?: string) =>
  ({ type: 'UpdateUdfVariable', ...of, variableId, key, value }) as const

describe('variables of an asset', () => {
  const two = after(after(initialUdfVariables, create(1, 'a')), create(2, 'b'))

  it('given a key that is empty or in use, when a variable is created or renamed with it, then the command is refused', () => {
    expect(() => after(two, create(3, 'a'))).toThrow("already has a variable 'a'")
    expect(() => after(two, update(2, 'a'))).toThrow("already has a variable 'a'")
    expect(() => after(two, create(3, ' '))).toThrow('must not be empty')
    expect(() => after(two, update(2, ''))).toThrow('must not be empty')
  })
  it('given an update, then fields that are left out stay; an update that changes nothing causes no event', () => {
    expect(after(two, update(2, undefined, '7')).variables[1]).toMatchObject({ id: 2, key: 'b', value: '7' })
    expect(decideUdfVariables(update(2, 'b', '1'), two)).toEqual([])
    expect(() => after(two, update(2))).toThrow('nothing to update')
    expect(() => after(two, update(9, 'x'))).toThrow('no such variable')
  })
  it('given a deleted variable, then it is not found, and its key is free again', () => {
    const one = after(two, { type: 'DeleteUdfVariable', ...of, variableId: 1 })
    expect(one.variables.map(({ key }) => key)).toEqual(['b'])
    expect(() => after(one, { type: 'DeleteUdfVariable', ...of, variableId: 1 })).toThrow('no such variable')
    expect(after(one, create(3, 'a')).variables).toHaveLength(2)
  })
})
