import { defaultTemplate } from '@assay/contracts'
import type { Categories } from '../policy/definition.ts'

type Attribution = { at: string; by: string }
/** `at`: ISO 8601 UTC; `by`: the user, or `system/policy` for the initial configuration of a tenant. */
export type PersistenceEvent =
  | { type: 'PersistenceConfigCreated'; data: Attribution & Content & { configId: number; isDefault: boolean } }
  | { type: 'PersistenceConfigChanged'; data: Attribution & Content & { configId: number; before?: Content } }
  | {
      type: 'PersistenceConfigMadeDefault'
      data: Attribution & { configId: number; before?: { configId: number | null } }
    }
  | { type: 'PersistenceConfigDeleted'; data: Attribution & { configId: number } }

type Content = { name: string; description: string | null; categoriesConfig: Categories }
export type PersistenceConfig = Content & {
  id: number
  createdAt: string
  createdBy: string
  updatedAt: string
  updatedBy: string
}

/**
 * All configurations of a tenant: one stream, so that names are unique and exactly one is the default, despite
 * concurrent writers. `deleted`: the latest deletions, newest first.
 */
export type PersistenceConfigs = {
  configs: PersistenceConfig[]
  /** `null` until the first configuration exists. */
  defaultId: number | null
  lastId: number
  deleted: readonly number[]
}

export const noConfigs: PersistenceConfigs = { configs: [], defaultId: null, lastId: 0, deleted: [] }
/** Maximum number of deletions that each write puts again, because earlier puts may have been lost. */
const maxDeleted = 100

const rows = { suffixTemplate: defaultTemplate, format: 'PARQUET' as const }
/** Where results are stored by default. */
export const builtInCategories: Categories = {
  good: rows,
  bad: rows,
  metadata: { suffixTemplate: defaultTemplate },
}

export function evolve(state: PersistenceConfigs, event: PersistenceEvent): PersistenceConfigs {
  const { at, by, configId } = event.data
  const changed = (change: (config: PersistenceConfig) => PersistenceConfig): PersistenceConfigs => ({
    ...state,
    configs: state.configs.map((config) => (config.id === configId ? change(config) : config)),
  })
  switch (event.type) {
    case 'PersistenceConfigCreated': {
      const { name, description, categoriesConfig, isDefault } = event.data
      const times = { createdAt: at, createdBy: by, updatedAt: at, updatedBy: by }
      return {
        configs: [...state.configs, { id: configId, name, description, categoriesConfig, ...times }],
        defaultId: isDefault ? configId : state.defaultId,
        lastId: configId,
        deleted: state.deleted,
      }
    }
    case 'PersistenceConfigChanged': {
      const { name, description, categoriesConfig } = event.data
      return changed((config) => ({ ...config, name, description, categoriesConfig, updatedAt: at, updatedBy: by }))
    }
    case 'PersistenceConfigMadeDefault':
      return { ...changed((config) => ({ ...config, updatedAt: at, updatedBy: by })), defaultId: configId }
    case 'PersistenceConfigDeleted':
      return {
        ...state,
        deleted: [configId, ...state.deleted].slice(0, maxDeleted),
        configs: state.configs.filter(({ id }) => id !== configId),
      }
    default:
      return event satisfies never
  }
}

/** The templates that a policy's choice resolves to; `null` means its own templates. */
export function chosenCategories(
  state: PersistenceConfigs,
  choice: { type: 'DEFAULT' } | { type: 'CUSTOM' } | { type: 'SAVED'; configId: number },
): Categories | null | 'missing' {
  switch (choice.type) {
    case 'CUSTOM':
      return null
    case 'DEFAULT':
      return state.configs.find(({ id }) => id === state.defaultId)?.categoriesConfig ?? builtInCategories
    case 'SAVED':
      return state.configs.find(({ id }) => id === choice.configId)?.categoriesConfig ?? 'missing'
    default:
      return choice satisfies never
  }
}
