import { internalTopics, publicTopics, tableMessage } from '@assay/contracts'
import type { DocumentPut, Documents } from '@assay/documents'
import type { Followed } from '@assay/event-store'
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
import { folderCopyPut } from '../copies/folders.ts'
import { happeningOf } from './happening.ts'
import type { Happening } from './news.ts'

/** Keeps the copies of assets, and tells watchers of what happens. What cannot be read is parked. */
export function feed(deps: {
  bus: MessageBus
  documents: Documents
  followed: Followed
  tellWatchers: (tenant: string, happening: Happening) => Promise<void>
}): Promise<Subscription> {
  const takeTable = taking(tableMessage, (table, { tenant, position }) =>
    deps.followed.follow(tenant, position, () => deps.documents.put([assetCopyPut(tenant, table, position)])),
  )

  async function takeEvent({ message: { tenant, position, data } }: Delivery): Promise<Outcome> {
    const folder = folderCopyPut(tenant, data, position)
    if (folder) await deps.followed.follow(tenant, position, () => deps.documents.put([folder]))
    let happening: Happening
    try {
      happening = happeningOf(data)
    } catch (error) {
      if (error instanceof z.ZodError) return { kind: 'park', reason: z.prettifyError(error) }
      throw error
    }
    await deps.tellWatchers(tenant, happening)
    return done
  }

  return deps.bus.subscribe({
    topics: [internalTopics.tables, publicTopics.assets, publicTopics.policies, publicTopics.executions],
    group: 'notification',
    handle: (delivery) => (delivery.topic === internalTopics.tables ? takeTable : takeEvent)(delivery),
  })
}

/** What a rebuild reads again from the bus. */
export const notificationCopies: readonly FedCopies<DocumentPut>[] = [
  copiesOf({ collection: notificationAssets, topic: internalTopics.tables, schema: tableMessage, putOf: assetCopyPut }),
]
