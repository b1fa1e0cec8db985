import { containerMessage, internalTopics, policyMessage, tableMessage } from '@assay/contracts'
import type { DocumentPut, Documents } from '@assay/documents'
import type { Followed } from '@assay/event-store'
import { type Delivery, done, type FedCopies, type MessageBus, type Outcome } from '@assay/message-bus'
import { z } from 'zod'
import { containerCopyPut, executionContainers } from './containers.ts'
import type { FollowPolicies } from './follow-policy.ts'
import { executionPolicies, policyCopyPut } from './policies.ts'
import { executionTables, tableCopyPut } from './tables.ts'

/**
 * Keeps this service's copies of policies and tables. A copy takes only a higher revision, so messages may come twice
 * or late. What cannot be read is parked.
 */
export async function feedCopies(deps: {
  bus: MessageBus
  documents: Documents
  following: FollowPolicies
  /** How far the policies have been followed, and the tables. */
  followed: Followed
  followedTables: Followed
}): Promise<{ close(): Promise<void> }> {
  const { bus, documents, following, followed, followedTables } = deps

  async function table({ message }: Delivery): Promise<Outcome> {
    const parsed = tableMessage.safeParse(message.data)
    if (!parsed.success) return { kind: 'park', reason: z.prettifyError(parsed.error) }
    const { tenant, position } = message
    await followedTables.follow(tenant, position, async () => {
      await documents.put([tableCopyPut(tenant, parsed.data, position)])
      await following.table(tenant, parsed.data)
    })
    return done
  }

  async function container({ message }: Delivery): Promise<Outcome> {
    const parsed = containerMessage.safeParse(message.data)
    if (!parsed.success) return { kind: 'park', reason: z.prettifyError(parsed.error) }
    const { tenant, position } = message
    await followedTables.follow(tenant, position, () =>
      documents.put([containerCopyPut(tenant, parsed.data, position)]),
    )
    return done
  }

  async function policy({ message }: Delivery): Promise<Outcome> {
    const parsed = policyMessage.safeParse(message.data)
    if (!parsed.success) return { kind: 'park', reason: z.prettifyError(parsed.error) }
    const { tenant, position } = message
    await followed.follow(tenant, position, async () => {
      await following.policy(tenant, parsed.data)
      await documents.put([policyCopyPut(tenant, parsed.data, position)])
    })
    return done
  }

  const subscription = await bus.subscribe({
    topics: [internalTopics.policies, internalTopics.tables, internalTopics.containers],
    group: 'execution',
    handle: (delivery) => {
      if (delivery.topic === internalTopics.containers) return container(delivery)
      return delivery.topic === internalTopics.tables ? table(delivery) : policy(delivery)
    },
  })
  return { close: () => subscription.close() }
}

/** What a rebuild reads again from the bus. */
export const executionCopies: readonly FedCopies<DocumentPut>[] = [
  {
    collection: executionPolicies.name,
    topic: internalTopics.policies,
    putOf({ tenant, position, data }) {
      const parsed = policyMessage.safeParse(data)
      return parsed.success ? policyCopyPut(tenant, parsed.data, position) : undefined
    },
  },
  {
    collection: executionTables.name,
    topic: internalTopics.tables,
    putOf({ tenant, position, data }) {
      const parsed = tableMessage.safeParse(data)
      return parsed.success ? tableCopyPut(tenant, parsed.data, position) : undefined
    },
  },
  {
    collection: executionContainers.name,
    topic: internalTopics.containers,
    putOf({ tenant, position, data }) {
      const parsed = containerMessage.safeParse(data)
      return parsed.success ? containerCopyPut(tenant, parsed.data, position) : undefined
    },
  },
]
