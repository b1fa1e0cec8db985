import {
  createProcessor,
  type Processor,
  type ProcessorDeps,
  parseStreamName,
  type RecordedEvent,
} from '@assay/event-store'
import { policyAggregate } from '../policy/aggregate.ts'
import { persistenceAggregate } from './aggregate.ts'
import type { Propagation } from './propagation.ts'

/** After these the templates that a policy holds may be older than its choice. */
const choosing = new Set(['PolicyCreated', 'PolicyConfigurationSet'])
/** After these other templates may count for policies that did nothing. */
const changing = new Set(['PersistenceConfigChanged', 'PersistenceConfigMadeDefault'])

/** Makes policies follow the persistence configurations that they have chosen, whoever died half way. */
export function createStorageFollower(deps: ProcessorDeps & { propagation: Propagation }): Processor {
  const { store, propagation, makeProcessor = createProcessor, ...rest } = deps

  async function follow({ id, stream, type, data }: RecordedEvent): Promise<void> {
    const name = parseStreamName(stream)
    if (name === undefined) return
    const context = { actor: 'system', causationId: id }
    if (choosing.has(type)) await propagation.toPolicy(name.tenant, Number(name.id), context)
    if (!changing.has(type)) return
    // It may be the default one, or have been it at that time: 0 stands for those who chose none.
    await propagation.toAll(name.tenant, 0, context)
    const configId = 'configId' in data ? data.configId : undefined
    if (typeof configId === 'number') await propagation.toAll(name.tenant, configId, context)
  }

  return makeProcessor({
    ...rest,
    name: 'policy-storage',
    store,
    categories: [persistenceAggregate.category, policyAggregate.category],
    async handle(events) {
      for (const event of events) await follow(event)
    },
  })
}
