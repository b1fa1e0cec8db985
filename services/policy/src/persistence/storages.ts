import { isDeepStrictEqual } from 'node:util'
import type { CommandHandler } from '@assay/event-store'
import type { Configuration } from '../policy/definition.ts'
import type { Storage } from '../policy/policy.ts'
import { configsId, persistenceAggregate } from './aggregate.ts'
import { builtInCategories, chosenCategories } from './configs.ts'

/** Resolves choices of persistence configurations from the log. */
export interface Storages {
  /** `missing`: there is no configuration with the chosen id. */
  of(tenant: string, choice: Configuration['categories']): Promise<Storage | 'missing'>
  ofDefault(tenant: string): Promise<Storage>
  /** The id of the configuration with this name. */
  idOf(tenant: string, name: string): Promise<number | undefined>
  /** The names of all configurations. */
  names(tenant: string): Promise<string[]>
  /** The current name of a configuration. */
  nameOf(tenant: string, id: number): Promise<string | undefined>
}

export function createStorages({ handler }: { handler: Pick<CommandHandler, 'load'> }): Storages {
  const configs = async (tenant: string) => (await handler.load(persistenceAggregate, tenant, configsId)).state
  return {
    async of(tenant, choice) {
      if (choice.type === 'CUSTOM') return null
      const chosen = chosenCategories(await configs(tenant), choice)
      return chosen === 'missing' ? chosen : storageOf(chosen)
    },
    idOf: async (tenant, name) => (await configs(tenant)).configs.find((one) => one.name === name)?.id,
    names: async (tenant) => (await configs(tenant)).configs.map(({ name }) => name),
    nameOf: async (tenant, id) => (await configs(tenant)).configs.find((one) => one.id === id)?.name,
    ofDefault: async (tenant) => {
      const chosen = chosenCategories(await configs(tenant), { type: 'DEFAULT' })
      return chosen === 'missing' ? null : storageOf(chosen)
    },
  }
}

function storageOf(chosen: Storage): Storage {
  return isDeepStrictEqual(chosen, builtInCategories) ? null : chosen
}
