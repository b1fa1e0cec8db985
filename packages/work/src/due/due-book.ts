import { setImmediate } from 'node:timers/promises'
import { type DocumentPut, type Documents, defineCollection, documentPut, type Source } from '@assay/documents'
import type { LeaderElection } from '@assay/event-store'
import { type Clock, type Logger, messageOf, type SecondTimers } from '@assay/service-kit'
import { z } from 'zod'
import { createPeriodicWork } from '../periodic-work.ts'

/** Maximum number of entries handled concurrently. In SQLite, their appends then share a transaction. */
const atOnce = 128
/** Number of entries that begin before the event loop continues: each may read for a millisecond before it waits. */
const begunAtOnce = 16
const pageSize = 500

/** Holds the due times of all tenants, so that one query finds what is due. No route reads it. */
const dueTenant = 'system'
const dueEntry = z.object({ kind: z.string(), tenant: z.string(), id: z.int(), nextAt: z.int() })
type DueEntry = z.infer<typeof dueEntry>
/** The due book: one document for each thing with a due time. `nextAt`: epoch milliseconds. */
export const dueBook = defineCollection<DueEntry>({
  name: 'due',
  version: 1,
  idType: 'text',
  schema: dueEntry,
  fields: {
    kind: { type: 'text', of: ({ kind }) => kind, alone: false },
    nextAt: { type: 'integer', of: ({ nextAt }) => nextAt, required: true, alone: false },
  },
  listings: [['kind', 'nextAt']],
})

/** The entry of a stream. `nextAt`: ISO 8601; `null` means never due. */
export function duePut(
  { kind, tenant, id }: Omit<DueEntry, 'nextAt'>,
  nextAt: string | null,
  source: Source,
): DocumentPut {
  const entry = nextAt === null ? null : { kind, tenant, id, nextAt: Date.parse(nextAt) }
  return documentPut(dueBook, dueTenant, `${kind}/${tenant}/${id}`, entry, source)
}

/** The handler for entries of one kind. */
export interface DueKind {
  kind: string
  /**
   * Takes or skips the due time by an append to the stream of the entry, so that only one of several replicas takes it.
   * Returns whether the due time has changed. The entry is retried if it has not, or if this rejects. `full`: nothing
   * more of this kind can start now, so later entries are left until the next poll. `signal` aborts at a stop.
   */
  handle(tenant: string, id: number, signal: AbortSignal): Promise<boolean | 'full'>
}

/** Polls the due book every second. */
export interface DuePoller {
  start(): void
  stop(): Promise<void>
  /** Polls now. Resolves when everything due was handled. */
  poll(): Promise<void>
}

/**
 * Handles entries that are due. Safe on several replicas without `election`, because only one of them takes each due
 * time; an election saves the others the work.
 */
export function createDuePoller(deps: {
  documents: Pick<Documents, 'find'>
  kinds: readonly DueKind[]
  clock: Clock
  timers: SecondTimers
  logger: Logger
  election?: LeaderElection | undefined
}): DuePoller {
  const { documents, kinds, clock, timers, logger, election } = deps
  const polling = createPeriodicWork({
    work: async () => {
      for (const kind of kinds) await handleDue(kind)
    },
    every: (work) => timers.everySecond(work),
    failed: 'the due book could not be read; it is retried',
    timers,
    logger,
    election,
  })

  async function attempt({ kind, handle }: DueKind, { tenant, id }: DueEntry): Promise<boolean | 'full'> {
    try {
      return await handle(tenant, id, polling.stopping())
    } catch (error) {
      logger.warn({ kind, tenant, id, error: messageOf(error) }, 'a due entry could not be handled; it is retried')
      return false
    }
  }

  /** Earliest first. Entries that failed stay due, so the query continues after them. */
  async function handleDue(kind: DueKind): Promise<void> {
    const where = [
      { field: 'kind', is: kind.kind },
      { field: 'nextAt', to: clock.now() },
    ]
    const sort = [{ field: 'nextAt', direction: 'asc' as const }]
    const seen = new Set<string>()
    const keyOf = ({ tenant, id }: DueEntry) => `${tenant}/${id}`
    let left = 0
    let isFull = false
    for (;;) {
      const page = Math.floor(left / pageSize)
      const { documents: due } = await documents.find(dueBook, dueTenant, { where, sort, page, size: pageSize })
      const fresh = due.filter((entry) => !seen.has(keyOf(entry)))
      if (fresh.length === 0) return
      const entries = fresh.values()
      const handleNext = async () => {
        for (const entry of entries) {
          if (polling.stopping().aborted) return
          const isHandled = await attempt(kind, entry)
          if (isHandled === 'full') isFull = true
          if (isHandled !== true) left += 1
        }
      }
      const handling: Promise<void>[] = []
      for (let begun = 0; begun < Math.min(atOnce, fresh.length); begun += 1) {
        if (begun % begunAtOnce === begunAtOnce - 1) await setImmediate()
        handling.push(handleNext())
      }
      await Promise.all(handling)
      if (isFull || polling.stopping().aborted) return
      for (const entry of fresh) seen.add(keyOf(entry))
    }
  }

  return { poll: polling.once, start: polling.start, stop: polling.stop }
}
