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

/** After these events, the templates of a policy may be those of a configuration that it no longer uses. */
const choosing = new Set(['PolicyCreated', 'PolicyConfigurationSet'])
/** Events after which the templates of other policies may be outdated. */
const changing = new Set(['PersistenceConfigChanged', 'PersistenceConfigMadeDefault'])

/** Applies changes of persistence configurations to the policies that use them, even if the writer died half way. */
export function createStorageFollower(deps: ProcessorDeps & { propagation: Propagation }): Processor {
  const { store, propagation, makeProcessor = createProcessor, ...rest } = deps

  async function follow({ id, stream, type, data }: RecordedEvent): Promise<void> {
    const name = parseStreamName(stream)
    if (name === undefined) return
    const context = { actor: 'system', causationId: id }
    if (choosing.has(type)) await propagation.toPolicy(name.tenant, Number(name.id), context)
    if (!changing.has(type)) return
    // The configuration may be or have been the default. 0 selects the policies that use the default.
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
