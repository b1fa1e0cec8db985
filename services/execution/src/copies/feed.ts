import { internalTopics, policyMessage, tableMessage } from '@assay/contracts'
import type { DocumentPut, Documents } from '@assay/documents'
import type { Followed } from '@assay/event-store'
import { type Delivery, done, type FedCopies, type MessageBus, type Outcome } from '@assay/message-bus'
import { z } from 'zod'
import { executionPolicies, policyCopyPut } from './policies.ts'
import { executionTables, tableCopyPut } from './tables.ts'

/**
 * Keeps this service's copies of policies and tables. A copy takes only a higher revision, so messages may come twice
 * or late. What cannot be read is parked.
 */
export async function feedCopies(deps: {
  bus: MessageBus
  documents: Documents
  /** How far the policies have been followed. */
  followed: Followed
}): Promise<{ close(): Promise<void> }> {
  const subscription = await deps.bus.subscribe({
    topics: [internalTopics.policies, internalTopics.tables],
    group: 'execution',
    handle: async (delivery): Promise<Outcome> => {
      const isTable = delivery.topic === internalTopics.tables
      const put = isTable ? tablePut(delivery) : policyPut(delivery)
      if ('problem' in put) return { kind: 'park', reason: put.problem }
      const { tenant, position } = delivery.message
      const work = () => deps.documents.put([put])
      if (isTable) await work()
      else await deps.followed.follow(tenant, position, work)
      return done
    },
  })
  return { close: () => subscription.close() }
}

function policyPut({ message }: Delivery): DocumentPut | { problem: string } {
  const parsed = policyMessage.safeParse(message.data)
  if (!parsed.success) return { problem: z.prettifyError(parsed.error) }
  return policyCopyPut(message.tenant, parsed.data, message.position)
}

function tablePut({ message }: Delivery): DocumentPut | { problem: string } {
  const parsed = tableMessage.safeParse(message.data)
  if (!parsed.success) return { problem: z.prettifyError(parsed.error) }
  return tableCopyPut(message.tenant, parsed.data, message.position)
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
]
