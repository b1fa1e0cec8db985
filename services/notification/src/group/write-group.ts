import { setImmediate } from 'node:timers/promises'
import type { Documents } from '@assay/documents'
import type { CommandHandler, NumberBlocks } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { DueKind } from '@assay/work'
import { notificationAssemblies } from '../copies/targets.ts'
import type { EnsureDigest } from '../digest/ensure-digest.ts'
import { groupOfCause, groupRowKey, notificationAggregate, notifications, waits } from '../notification/aggregate.ts'
import { placeOfRow } from '../notifying/place.ts'
import { wishesOf } from '../notifying/wishes.ts'
import type { Groups } from './aggregate.ts'
import { type Gathered, gather, nothingGathered, rowOf, type Summarized } from './summary.ts'

const partsAtOnce = 500
const rowsAtOnce = 50
const context = { actor: 'system' }

/** Writes the rows of ended crawls or deletions, one per recipient. Idempotent, also on several replicas and after a crash. */
export function createGroupWriter(deps: {
  commands: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  ensureDigest: EnsureDigest
  clock: Clock
  groups: Groups
}): DueKind {
  const { commands, documents, numbers, ensureDigest, clock, groups } = deps

  async function gatheredOf(tenant: string, group: string): Promise<ReadonlyMap<string, Gathered>> {
    const byRecipient = new Map<string, Gathered>()
    let last: string | undefined
    // Pages by the last id, because parts may still arrive.
    for (;;) {
      const after = last === undefined ? [] : [{ field: 'id', from: last }]
      const where = [{ field: 'partOf', is: group }, ...after]
      const found = await documents.find(notifications, tenant, { where, size: partsAtOnce })
      for (const part of found.documents) {
        if (part.key === last) continue
        const gathered = byRecipient.get(part.recipient) ?? nothingGathered()
        byRecipient.set(part.recipient, gathered)
        gather(gathered, part)
      }
      last = found.documents.at(-1)?.key
      if (found.documents.length < partsAtOnce) return byRecipient
      // An in-process store never yields to the event loop.
      await setImmediate()
    }
  }

  async function write(tenant: string, summarized: Summarized, recipient: string, gathered: Gathered): Promise<void> {
    const collects = groupOfCause(summarized)
    const row = rowOf(summarized, gathered)
    if (row === undefined) return
    const id = groupRowKey(collects, recipient)
    const known = await documents.get(notifications, tenant, id)
    const [notificationId] = known ? [known.document.notificationId] : await numbers.take(tenant, 'notification')
    if (notificationId === undefined) throw new AssayError('internal', 'No number was given for a notification.')
    const now = clock.now()
    const { settingsOf } = await wishesOf(documents, tenant, [recipient], now)
    const { heldBy } = placeOfRow(row, settingsOf(recipient), now)
    const ids = { notificationId, recipient, collects, createdAt: isoTime(now), heldBy }
    const command = { type: 'NotifyGroup' as const, ...row, ...ids }
    const { state } = await commands.handle(notificationAggregate, { tenant, id, command, context })
    if (state.status === 'present' && waits(state)) await ensureDigest(tenant, [state])
  }

  return {
    kind: groups.due,
    async handle(tenant, id, signal) {
      const request = { tenant, id, context }
      const begin = { type: 'BeginWriting' as const, now: clock.now() }
      const { state, events } = await commands.handle(groups.aggregate, { ...request, command: begin })
      if (events.length === 0 || state.status === 'none') return true
      const cause = { type: groups.type, id }
      const rows = [...(await gatheredOf(tenant, groupOfCause(cause)))]
      const { assemblyId } = state
      const assembly = assemblyId === null ? undefined : await documents.get(notificationAssemblies, tenant, assemblyId)
      const summarized = { ...cause, assemblyName: assembly?.document.name ?? undefined }
      for (let from = 0; from < rows.length; from += rowsAtOnce) {
        if (signal.aborted) return false
        const some = rows.slice(from, from + rowsAtOnce)
        await Promise.all(some.map(([recipient, gathered]) => write(tenant, summarized, recipient, gathered)))
        await setImmediate()
      }
      const finish = { type: 'FinishWriting' as const, now: clock.now(), round: state.round }
      const { state: after } = await commands.handle(groups.aggregate, { ...request, command: finish })
      return after.status === 'written'
    },
  }
}
