import type { Documents } from '@assay/documents'
import { type CommandContext, type CommandHandler, retryOnConflict } from '@assay/event-store'
import { type Clock, isoTime, type Timers } from '@assay/service-kit'
import { policies, policyAggregate } from '../policy/aggregate.ts'
import type { Storages } from './storages.ts'

const pageSize = 200
/** Maximum number of policies written concurrently: each write waits for the log, and the caller waits for all. */
const atOnce = 16

/** Applies changes of persistence configurations to the policies that use them. Idempotent. */
export interface Propagation {
  /** Updates one policy. */
  toPolicy(tenant: string, policyId: number, context: CommandContext): Promise<void>
  /** Updates all policies with this configuration; 0: with the default. `most`: only that many, with the lowest ids. */
  toAll(tenant: string, configId: number, context: CommandContext, most?: number): Promise<void>
}

export function createPropagation(deps: {
  documents: Documents
  handler: CommandHandler
  storages: Storages
  clock: Clock
  timers: Pick<Timers, 'sleep'>
}): Propagation {
  const { documents, handler, storages, clock, timers } = deps

  async function toPolicy(tenant: string, policyId: number, context: CommandContext): Promise<void> {
    // After a conflict everything is read again: the other writer may have chosen another configuration.
    return retryOnConflict(timers, async () => {
      const { state, revision } = await handler.load(policyAggregate, tenant, policyId)
      if (state.status === 'absent') return
      const storage = await storages.of(tenant, state.configuration.categories)
      // The configuration was deleted after a request had checked it and before that request was written. The policy
      // keeps its last templates.
      if (storage === 'missing') return
      const command = { kind: 'FollowStorage' as const, storage, at: isoTime(clock.now()), by: context.actor }
      await handler.handle(policyAggregate, { tenant, id: policyId, command, context, expected: revision })
    })
  }

  return {
    toPolicy,
    async toAll(tenant, configId, context, most = Number.POSITIVE_INFINITY) {
      let done = 0
      for (let above = 0; done < most; ) {
        const where = [
          { field: 'persistenceId', is: configId },
          { field: 'id', from: above + 1 },
        ]
        const size = Math.min(pageSize, most - done)
        const { documents: found } = await documents.find(policies, tenant, { where, size })
        for (let first = 0; first < found.length; first += atOnce) {
          const some = found.slice(first, first + atOnce)
          await Promise.all(some.map(({ answer }) => toPolicy(tenant, answer.rule.id, context)))
        }
        done += found.length
        const end = found.at(-1)
        if (end === undefined || found.length < size) return
        above = end.answer.rule.id
      }
    },
  }
}
