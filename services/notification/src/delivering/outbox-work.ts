import type { Documents } from '@assay/documents'
import { type Clock, isoTime, type Logger, type SecondTimers } from '@assay/service-kit'
import { type ClaimedWork, createDuePoller, createWorker, type WorkSource } from '@assay/work'
import { channelAggregate, outboxWork } from '../channel/aggregate.ts'
import type { ChannelCommand } from '../channel/decide.ts'
import { emptyOutbox, type OutboxDeps } from './empty-outbox.ts'

/** Maximum number of outboxes that are emptied concurrently. A slow receiver occupies one of these slots. */
const outboxesAtOnce = 512
const context = { actor: 'system' }

/** Empties the outboxes of all channels. */
export interface Outboxes {
  start(): void
  stop(): Promise<void>
  /** Reports that an outbox has due deliveries since `at` (ISO 8601 UTC). */
  take(tenant: string, channelId: number, at: string): void
}

export function createOutboxes(
  deps: OutboxDeps & {
    documents: Pick<Documents, 'find'>
    clock: Clock
    timers: SecondTimers
    logger: Logger
    workerId: string
    isSole: boolean
  },
): Outboxes {
  const { commands, documents, clock, timers, logger } = deps
  const toChannel = (tenant: string, id: number, command: ChannelCommand) =>
    commands.handle(channelAggregate, { tenant, id, command, context })

  function claimed(tenant: string, channelId: number, fence: number): ClaimedWork {
    const handle = (command: ChannelCommand) => toChannel(tenant, channelId, command)
    const release = async (at: string) => void (await handle({ type: 'Release', fence, at }))
    return {
      what: 'outbox',
      about: { tenant, channelId },
      async renew(at, until) {
        const { events } = await handle({ type: 'RenewClaim', fence, at, until })
        return events.length > 0 ? 'held' : 'lost'
      },
      async carryOut({ signal, confirm }) {
        const nextAt = await emptyOutbox(deps, { tenant, channelId }, { signal, confirm })
        return {
          async succeed() {
            const at = isoTime(clock.now())
            const { state, events } = await handle({ type: 'Rest', fence, nextAt, at })
            if (state.status === 'present' && state.work?.status === 'waiting') take(tenant, channelId, at)
            return events.length > 0
          },
        }
      },
      // After the release, the next sweep claims the outbox again.
      fail: release,
      release,
    }
  }

  const work: WorkSource = {
    kind: outboxWork,
    what: 'outbox',
    async claim({ tenant, id: text }, { worker, at, until, isSole = false }) {
      const id = Number(text)
      const { state, events } = await toChannel(tenant, id, { type: 'Claim', worker, at, until, isSole })
      return events.length === 0 || state.status !== 'present' ? undefined : claimed(tenant, id, state.fence)
    },
  }
  const { workerId, isSole } = deps
  const worker = createWorker({ work, documents, clock, timers, logger, workerId, isSole, maxAtOnce: outboxesAtOnce })
  const take: Outboxes['take'] = (tenant, channelId, startedAt) =>
    worker.take({ tenant, id: String(channelId), startedAt })

  const due = createDuePoller({
    documents,
    clock,
    timers,
    logger,
    kinds: [
      {
        kind: outboxWork,
        async handle(tenant, channelId) {
          const at = isoTime(clock.now())
          const { state, events } = await toChannel(tenant, channelId, { type: 'TakeDue', at })
          if (state.status === 'present' && state.work?.status === 'waiting') take(tenant, channelId, at)
          return events.length > 0
        },
      },
    ],
  })

  return {
    take,
    start() {
      worker.start()
      due.start()
    },
    async stop() {
      await due.stop()
      await worker.stop()
    },
  }
}
