import { internalTopics, publicTopics, tableMessage } from '@assay/contracts'
import type { DocumentPut, Documents } from '@assay/documents'
import type { Followed } from '@assay/event-store'
import {
  done,
  type FedCopies,
  type Message,
  type MessageBus,
  type Outcome,
  type Subscription,
} from '@assay/message-bus'
import { z } from 'zod'
import { assetCopyPut, notificationAssets } from '../copies/assets.ts'
import { folderCopyPut } from '../copies/folders.ts'
import { type Happening, happeningOf } from './happening.ts'

/** Keeps the copies of assets, and tells watchers of what happens. What cannot be read is parked. */
export function feed(deps: {
  bus: MessageBus
  documents: Documents
  followed: Followed
  tellWatchers: (tenant: string, happening: Happening) => Promise<void>
}): Promise<Subscription> {
  async function takeTable({ tenant, position, data }: Message): Promise<Outcome> {
    const parsed = tableMessage.safeParse(data)
    if (!parsed.success) return { kind: 'park', reason: z.prettifyError(parsed.error) }
    const put = assetCopyPut(tenant, parsed.data, position)
    await deps.followed.follow(tenant, position, () => deps.documents.put([put]))
    return done
  }

  async function takeEvent({ tenant, position, data }: Message): Promise<Outcome> {
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
    topics: [internalTopics.tables, publicTopics.assets, publicTopics.executions],
    group: 'notification',
    handle: ({ topic, message }) => (topic === internalTopics.tables ? takeTable(message) : takeEvent(message)),
  })
}

/** What a rebuild reads again from the bus. */
export const notificationCopies: readonly FedCopies<DocumentPut>[] = [
  {
    collection: notificationAssets.name,
    topic: internalTopics.tables,
    putOf({ tenant, position, data }) {
      const parsed = tableMessage.safeParse(data)
      return parsed.success ? assetCopyPut(tenant, parsed.data, position) : undefined
    },
  },
]
