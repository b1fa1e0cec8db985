import { containerMessage, internalTopics, policyMessage, tableMessage } from '@assay/contracts'
import type { DocumentPut, Documents } from '@assay/documents'
import type { ReadYourWrites } from '@assay/event-store'
import { copiesOf, type FedCopies, type MessageBus, taking } from '@assay/message-bus'
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
  readYourWrites: ReadYourWrites
  followedTables: ReadYourWrites
}): Promise<{ close(): Promise<void> }> {
  const { bus, documents, following, readYourWrites, followedTables } = deps

  const table = taking(tableMessage, (data, { tenant, position }) =>
    followedTables.follow(tenant, position, async () => {
      await documents.put([tableCopyPut(tenant, data, position)])
      await following.table(tenant, data)
    }),
  )
  const container = taking(containerMessage, (data, { tenant, position }) =>
    followedTables.follow(tenant, position, () => documents.put([containerCopyPut(tenant, data, position)])),
  )
  const policy = taking(policyMessage, (data, { tenant, position }) =>
    readYourWrites.follow(tenant, position, async () => {
      await following.policy(tenant, data)
      await documents.put([policyCopyPut(tenant, data, position)])
    }),
  )

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
  copiesOf({
    collection: executionPolicies,
    topic: internalTopics.policies,
    schema: policyMessage,
    putOf: policyCopyPut,
  }),
  copiesOf({ collection: executionTables, topic: internalTopics.tables, schema: tableMessage, putOf: tableCopyPut }),
  copiesOf({
    collection: executionContainers,
    topic: internalTopics.containers,
    schema: containerMessage,
    putOf: containerCopyPut,
  }),
]
