import { randomUUID } from 'node:crypto'
import { createCommandHandler, createNumberBlocks, createProcessor, type RecordedEvent } from '@assay/event-store'
import { openStores, silent } from '@assay/hosting/testing'
import { AssayError } from '@assay/service-kit/errors'
import { systemTimers } from '@assay/service-kit/node'
import { createDuePoller } from '@assay/work'
import { channels } from '../../channel/aggregate.ts'
import { emptyOutbox } from '../../delivering/empty-outbox.ts'
import { createFanOut } from '../../delivering/fan-out.ts'
import { createOutbox } from '../../delivering/outbox.ts'
import { deliveries } from '../../delivery/aggregate.ts'
import { createChannelDigests } from '../../digest/channel-digests.ts'
import { createEnsureDigest } from '../../digest/ensure-digest.ts'
import { createDigestWriter } from '../../digest/write-digest.ts'
import { groupsOf } from '../../group/aggregate.ts'
import { createGroupWriter } from '../../group/write-group.ts'
import { createMentionedUsers } from '../../mentions/mentioned-users.ts'
import { about } from '../../notification/about.ts'
import { notifications } from '../../notification/aggregate.ts'
import { createNotify } from '../../notifying/notify.ts'
import { createRepeats } from '../../notifying/repeats.ts'
import { createChannelsFor } from '../../routing/channels-for.ts'
import { createWatchers } from '../../routing/watchers.ts'
import { delivered, failed } from '../../sending/attempt-result.ts'
import type { Send } from '../../sending/sender.ts'
import { notificationCollections } from '../../service.ts'
import { createNotifyWatchers } from '../../triggers/notify-watchers.ts'

export const tenant = 'default'
const hour = 3_600_000

/** The nth write from now on fails, before or after it is durable. */
export interface Fault {
  after: number
  isDurable: boolean
}

/**
 * All that happens between an event and a receiver, over SQLite, without processes of its own: a test calls each stage,
 * so that one thread plays any order of events, stages and crashes. `time`: epoch milliseconds.
 */
export async function openPipeline(time: number) {
  const clock = { time, now: () => clock.time }
  const stores = await openStores({ name: 'pipeline', collections: notificationCollections, clock })
  const { documents, store } = stores
  /** `status`: the answer of receivers. `readable`: whether the owners of channels may read what is sent. */
  const world = { status: 204, readable: true, faults: 0, fault: undefined as Fault | undefined }
  const received: string[] = []

  const commit: typeof stores.commit = async (append, puts) => {
    const isNow = world.fault !== undefined && world.fault.after-- <= 0
    const { isDurable = false } = world.fault ?? {}
    if (isNow) {
      world.fault = undefined
      world.faults += 1
    }
    if (isNow && !isDurable) throw new AssayError('unavailable', 'Gone.')
    const appended = await stores.commit(append, puts)
    if (isNow) throw new AssayError('unavailable', 'Gone.')
    return appended
  }
  const deps = { ...stores, commit, clock, timers: systemTimers, newId: randomUUID, logger: silent }
  const commands = createCommandHandler(deps)
  const numbers = createNumberBlocks(deps)
  const repeats = createRepeats({ documents, commands, clock, windowMs: hour })
  const ensureDigest = createEnsureDigest({ commands, documents, clock })
  const notify = createNotify({ commands, documents, numbers, repeats, ensureDigest, clock })
  const notifyWatchers = createNotifyWatchers({
    ...{ commands, documents, notify, clock },
    watchersOf: createWatchers({ documents, repeats }),
    channelsFor: createChannelsFor({ documents, repeats }),
    mentionedUsers: createMentionedUsers({ documents, clock }),
  })
  const outbox = createOutbox({ commands, documents, clock, take: () => undefined })
  const mayRead = async () => world.readable
  const digests = createChannelDigests({ commands, documents, outbox, mayRead, publicUrl: undefined, clock })
  const groups = createGroupWriter({ commands, documents, numbers, ensureDigest, clock, groups: groupsOf.crawl })
  const readableByKeys = async () => (world.readable ? [about.options] : [])
  const quietHours = createDigestWriter({ commands, documents, numbers, readableByKeys, clock })
  const poller = createDuePoller({ ...deps, kinds: [groups, quietHours, digests.kind] })

  const send: Send = async (_tenant, _channel, { id }) => {
    if (world.status !== 204) return failed(`${world.status}`, 1, { status: world.status })
    received.push(id)
    return delivered(204, 1)
  }

  /** Repeats what a crash interrupted, as buses, due books and users do. */
  async function untilDone<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof AssayError && error.code === 'unavailable')) throw error
      }
    }
  }

  let handle: (events: readonly RecordedEvent[]) => Promise<void> = async () => undefined
  let categories: readonly string[] | undefined
  createFanOut({
    ...{ ...deps, notify, outbox, publicUrl: undefined, onError: () => undefined },
    makeProcessor(options) {
      ;({ handle, categories } = options)
      return createProcessor(options)
    },
  })
  let position: string | undefined
  let checkpoint: string | undefined

  async function empty(channelId: number): Promise<void> {
    let isLost = false
    const confirm = async () => {
      if (isLost) throw new AssayError('unavailable', 'Gone.')
    }
    const policy = { retries: [60, 600], pauseAfter: 4 }
    const complete = async (_: string, __: object, { body }: { body: string }) => body
    const of = { commands, documents, send, complete, mayRead, policy, clock, random: () => 0.5 }
    const { signal } = new AbortController()
    try {
      await emptyOutbox(of, { tenant, channelId }, { signal, confirm })
    } finally {
      isLost = true
    }
  }

  return {
    ...{ clock, world, received, commands, documents, digests, untilDone, store },
    notify: (trigger: Parameters<typeof notifyWatchers>[1]) => untilDone(() => notifyWatchers(tenant, trigger)),
    /** Handles what is due, once. */
    poll: () => poller.poll(),
    /** Requests the deliveries of what was written since the last call, or since the checkpoint after a crash. */
    async follow() {
      for (;;) {
        const slice = await store.readAll({ categories, after: position })
        if (slice.events.length > 0) await untilDone(() => handle(slice.events))
        position = slice.position
        if (slice.atEnd) return
      }
    },
    saveCheckpoint() {
      checkpoint = position
    },
    returnToCheckpoint() {
      position = checkpoint
    },
    /** Makes one attempt for each message that is due. */
    async send() {
      const { documents: all } = await documents.find(channels, tenant, { size: 100 })
      for (const { channelId } of all) await untilDone(() => empty(channelId))
    },
    rows: async () => (await documents.find(notifications, tenant, { size: 1_000 })).documents,
    deliveries: async () => (await documents.find(deliveries, tenant, { size: 1_000 })).documents,
    channels: async () => (await documents.find(channels, tenant, { size: 100 })).documents,
    close: stores.close,
  }
}
export type Pipeline = Awaited<ReturnType<typeof openPipeline>>
