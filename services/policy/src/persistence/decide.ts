import { isDeepStrictEqual } from 'node:util'
import { AssayError } from '@assay/service-kit/errors'
import type { Categories } from '../policy/definition.ts'
import { builtInCategories, type PersistenceConfig, type PersistenceConfigs, type PersistenceEvent } from './configs.ts'

/** Maximum number of configurations of a tenant. They share one stream, so more would slow down each write. */
export const maxConfigs = 500

/** `at`: ISO 8601 UTC. Templates are checked before the command. */
export type PersistenceCommand = { at: string } & (
  | { kind: 'EnsureDefault' }
  | { kind: 'CreateConfig'; by: string; name: string; description: string | null; categoriesConfig: Categories }
  /** Absent members stay. */
  | {
      kind: 'ChangeConfig'
      by: string
      id: number
      name?: string | undefined
      description?: string | null | undefined
      categoriesConfig?: Categories | undefined
    }
  | { kind: 'MakeDefault'; by: string; id: number }
  /** `policyCount`: number of policies that use it. */
  | { kind: 'DeleteConfig'; by: string; id: number; policyCount: number }
)

/** The configuration with this id. Throws `not-found`. */
export function configOf(state: PersistenceConfigs, id: number): PersistenceConfig {
  const config = state.configs.find((each) => each.id === id)
  if (config === undefined)
    throw new AssayError('not-found', `There is no persistence configuration with the id ${id}.`)
  return config
}

function assertFree(state: PersistenceConfigs, name: string, ownId?: number): void {
  if (state.configs.some((config) => config.name === name && config.id !== ownId))
    throw new AssayError('taken', `A persistence configuration named "${name}" exists already.`)
}

function deletion(state: PersistenceConfigs, command: PersistenceCommand & { kind: 'DeleteConfig' }) {
  const { at, by, id, policyCount } = command
  const { name } = configOf(state, id)
  if (state.defaultId === id)
    throw new AssayError('unprocessable', `"${name}" is the default configuration: make another one the default first.`)
  if (policyCount > 0)
    throw new AssayError(
      'unprocessable',
      `"${name}" is used by ${policyCount} ${policyCount === 1 ? 'policy' : 'policies'}: choose another one for them first.`,
    )
  return [{ type: 'PersistenceConfigDeleted' as const, data: { configId: id, at, by } }]
}

/** A command without effect causes no event. The first configuration of a tenant is created before any other. */
export function decide(command: PersistenceCommand, state: PersistenceConfigs): readonly PersistenceEvent[] {
  const { at } = command
  switch (command.kind) {
    case 'EnsureDefault': {
      if (state.defaultId !== null) return []
      const content = { name: 'default', description: null, categoriesConfig: builtInCategories }
      const data = { configId: state.lastId + 1, ...content, isDefault: true, at, by: 'system/policy' }
      return [{ type: 'PersistenceConfigCreated', data }]
    }
    case 'CreateConfig': {
      const { kind: _, ...content } = command
      assertFree(state, command.name)
      if (state.configs.length >= maxConfigs)
        throw new AssayError(
          'unprocessable',
          `There are ${maxConfigs} persistence configurations, the maximum. Delete some first.`,
        )
      return [{ type: 'PersistenceConfigCreated', data: { configId: state.lastId + 1, ...content, isDefault: false } }]
    }
    case 'ChangeConfig': {
      const before = configOf(state, command.id)
      const after = {
        name: command.name ?? before.name,
        description: command.description === undefined ? before.description : command.description,
        categoriesConfig: command.categoriesConfig ?? before.categoriesConfig,
      }
      assertFree(state, after.name, before.id)
      const { name, description, categoriesConfig } = before
      if (isDeepStrictEqual(after, { name, description, categoriesConfig })) return []
      return [
        {
          type: 'PersistenceConfigChanged',
          data: { configId: before.id, ...after, before: { name, description, categoriesConfig }, at, by: command.by },
        },
      ]
    }
    case 'MakeDefault': {
      const { id } = configOf(state, command.id)
      if (state.defaultId === id) return []
      return [
        {
          type: 'PersistenceConfigMadeDefault',
          data: { configId: id, before: { configId: state.defaultId }, at, by: command.by },
        },
      ]
    }
    case 'DeleteConfig':
      return deletion(state, command)
    default:
      return command satisfies never
  }
}
