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

/** Events after which the templates of a policy may be older than its choice. */
const choosing = new Set(['PolicyCreated', 'PolicyConfigurationSet'])
/** Events after which unchanged policies may have other templates. */
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
    // It may be, or may have been, the default one: 0 stands for policies without a choice.
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
