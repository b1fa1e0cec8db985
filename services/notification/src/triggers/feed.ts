import { containerMessage, internalTopics, publicTopics, tableMessage } from '@assay/contracts'
import type { DocumentPut, Documents } from '@assay/documents'
import type { ReadYourWrites } from '@assay/event-store'
import {
  copiesOf,
  type Delivery,
  done,
  type FedCopies,
  type MessageBus,
  type Outcome,
  type Subscription,
  taking,
} from '@assay/message-bus'
import { z } from 'zod'
import { assetCopyPut, notificationAssets } from '../copies/assets.ts'
import { folderCopyPut, notificationFolders } from '../copies/folders.ts'
import type { NotificationTrigger } from './trigger.ts'
import { triggerOf } from './trigger-of.ts'

/** Keeps the local read models of tables and folders, and notifies watchers. An unreadable message is parked. */
export function feed(deps: {
  bus: MessageBus
  documents: Documents
  readYourWrites: ReadYourWrites
  notifyWatchers: (tenant: string, trigger: NotificationTrigger) => Promise<void>
}): Promise<Subscription> {
  const takeTable = taking(tableMessage, (table, { tenant, position }) =>
    deps.readYourWrites.follow(tenant, position, () => deps.documents.put([assetCopyPut(tenant, table, position)])),
  )
  const takeFolder = taking(containerMessage, (folder, { tenant, position }) =>
    deps.readYourWrites.follow(tenant, position, () => deps.documents.put([folderCopyPut(tenant, folder, position)])),
  )

  async function takeEvent({ message: { tenant, data } }: Delivery): Promise<Outcome> {
    let trigger: NotificationTrigger
    try {
      trigger = triggerOf(data)
    } catch (error) {
      if (error instanceof z.ZodError) return { kind: 'park', reason: z.prettifyError(error) }
      throw error
    }
    await deps.notifyWatchers(tenant, trigger)
    return done
  }

  return deps.bus.subscribe({
    topics: [
      internalTopics.tables,
      internalTopics.containers,
      publicTopics.assets,
      publicTopics.policies,
      publicTopics.executions,
    ],
    group: 'notification',
    handle: (delivery) => {
      if (delivery.topic === internalTopics.containers) return takeFolder(delivery)
      return delivery.topic === internalTopics.tables ? takeTable(delivery) : takeEvent(delivery)
    },
  })
}

/** Local read models that a rebuild reads from the bus again. */
export const notificationCopies: readonly FedCopies<DocumentPut>[] = [
  copiesOf({ collection: notificationAssets, topic: internalTopics.tables, schema: tableMessage, putOf: assetCopyPut }),
  copiesOf({
    collection: notificationFolders,
    topic: internalTopics.containers,
    schema: containerMessage,
    putOf: folderCopyPut,
  }),
]
