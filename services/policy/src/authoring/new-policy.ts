import type { CommandContext, CommandHandler, Handled, NumberBlocks } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import type { PolicyNames } from '../names/names.ts'
import type { Storages } from '../persistence/storages.ts'
import { policyAggregate } from '../policy/aggregate.ts'
import type { Definition } from '../policy/definition.ts'
import type { Policy, PolicyEvent } from '../policy/policy.ts'

export interface NewPolicy {
  tenant: string
  /** Already checked. */
  definition: Definition
  baseline?: string | undefined
  autoCreated?: true
  by: string
  context: CommandContext
}

export type CreatePolicy = (policy: NewPolicy) => Promise<Handled<Policy, PolicyEvent>>

/**
 * Creates a policy. The name is reserved before the policy is written and confirmed after, so that two policies cannot get
 * the same. Throws `taken` for a name that another policy has.
 */
export function createNewPolicy(deps: {
  handler: CommandHandler
  names: PolicyNames
  numbers: NumberBlocks
  storages: Storages
  clock: Clock
}): CreatePolicy {
  const { handler, names, numbers, storages, clock } = deps
  return async ({ tenant, definition, baseline, autoCreated, by, context }) => {
    const [policyId] = await numbers.take(tenant, 'policy')
    if (policyId === undefined) throw new AssayError('internal', 'No number was given for a policy.')
    const storage = await storages.ofDefault(tenant)
    await names.hold(tenant, definition.name, policyId)
    const command = {
      ...{ kind: 'CreatePolicy' as const, policyId, definition, storage, at: isoTime(clock.now()), by },
      ...(baseline === undefined ? {} : { baseline }),
      ...(autoCreated ? { autoCreated } : {}),
    }
    const request = { tenant, id: policyId, command, context }
    const handled = await handler.handle(policyAggregate, request).catch(async (error: unknown) => {
      if (!isAssayError(error, 'unknown-outcome')) await names.release(tenant, definition.name, policyId)
      throw error
    })
    // The policy exists even if this fails: the processor of the log then confirms the name.
    await names.confirm(tenant, definition.name, policyId).catch(() => undefined)
    return handled
  }
}
