import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { z } from 'zod'
import { storedCategories } from '../policy/stored-categories.ts'
import { evolve, noConfigs, type PersistenceConfigs, type PersistenceEvent } from './configs.ts'
import { decide, type PersistenceCommand } from './decide.ts'

const persistenceConfig = z.object({
  id: z.int(),
  name: z.string(),
  description: z.string().nullable(),
  categoriesConfig: storedCategories,
  createdAt: z.string(),
  createdBy: z.string(),
  updatedAt: z.string(),
  updatedBy: z.string(),
  isDefault: z.boolean(),
})
export type PersistenceDocument = z.infer<typeof persistenceConfig>

export const persistenceConfigs = defineCollection<PersistenceDocument>({
  name: 'persistence_configs',
  version: 1,
  idType: 'integer',
  schema: persistenceConfig,
  fields: {
    name: { type: 'text', of: ({ name }) => name },
    isDefault: { type: 'boolean', of: ({ isDefault }) => isDefault },
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt },
    updatedAt: { type: 'text', of: ({ updatedAt }) => updatedAt },
  },
})

/** Id of the one stream of a tenant. */
export const configsId = 'all'

/** Stream `<tenant>/persistence-all`. */
export const persistenceAggregate: Aggregate<PersistenceConfigs, PersistenceCommand, PersistenceEvent> = {
  category: 'persistence',
  schemaVersion: 1,
  decider: { initialState: noConfigs, decide, evolve },
  documents: ({ configs, defaultId, deleted }, { tenant }, source) => [
    ...deleted.map((id) => documentPut(persistenceConfigs, tenant, id, null, source)),
    ...configs.map((config) =>
      documentPut(persistenceConfigs, tenant, config.id, { ...config, isDefault: config.id === defaultId }, source),
    ),
  ],
}
