import { executionKinds } from '@assay/contracts'
import type { BadRows, FirstBadRows } from '@assay/hosting/ports'
import { type Clock, type Logger, type Timers, withDeadline } from '@assay/service-kit'
import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'
import type { Channel } from '../channel/channel.ts'
import type { HoldsPermissions } from '../copies/keys.ts'
import type { StoredDelivery } from '../delivery/aggregate.ts'
import { withBadRows } from '../sending/with-bad-rows.ts'

/** The message of an attempt: the stored one, with what may not be stored. Never fails. */
export type CompleteMessage = (
  tenant: string,
  channel: Pick<Channel, 'owner' | 'type'>,
  delivery: Pick<StoredDelivery, 'body' | 'badRowsOf'>,
) => Promise<string>

const askMs = 2_000
/**
 * After the execution service could not be reached, messages go without rows for this long, so that none waits for it.
 * After it took too long for a run, only those of this run do, unless it was too slow for several runs in a row.
 */
const pauseMs = 10_000
const maxSlow = 3
/** A run may have many recipients, and its messages are sent at once. */
const sharedMs = 1_000
const maxShared = 200

const keyOf = (tenant: string, executionId: number) => `${tenant}/${executionId}`

/** Rows are shown as to a reader without ASSET_PROTECTED_VIEW: protected values never leave Assay by a channel. */
const needed = new Set(executionKinds.DATA_QUALITY.rows.permissions)

/**
 * Adds the first bad rows of its run to a message, if the owner of its channel may read them at this moment. Rows may be
 * in no event and no document, so they are read again in each attempt. A message never waits longer than the deadline,
 * and goes without rows if they cannot be read. `firstBadRows`: absent if messages show no rows.
 */
export function createBadRowsInMessages(deps: {
  firstBadRows: FirstBadRows | undefined
  holds: HoldsPermissions
  clock: Clock
  timers: Pick<Timers, 'sleep'>
  logger: Logger
}): CompleteMessage {
  const { firstBadRows, holds, clock, timers, logger } = deps
  const shared = new Map<string, { at: number; rows: Promise<BadRows | undefined> }>()
  let pausedUntil = 0
  const slow = new Map<string, number>()
  let slowInARow = 0

  async function ask(port: FirstBadRows, asked: { tenant: string; user: string; executionId: number }) {
    const late = new AssayError('timeout', 'The execution service did not answer in time.')
    return withDeadline(timers, { milliseconds: askMs, late }, (signal) => {
      const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(late)))
      return Promise.race([port({ ...asked, permissions: needed, signal }), aborted])
    })
  }

  async function rowsOf(tenant: string, user: string, executionId: number): Promise<BadRows | undefined> {
    const now = clock.now()
    if (firstBadRows === undefined || now < pausedUntil) return undefined
    if (!(await holds(tenant, user, ['NOTIFICATION_VIEW', ...needed]))) return undefined
    const key = keyOf(tenant, executionId)
    if (now < (slow.get(key) ?? 0)) return undefined
    const known = shared.get(key)
    if (known !== undefined && Math.abs(now - known.at) < sharedMs) return known.rows
    if (shared.size >= maxShared) shared.clear()
    // All readers without the right to protected values see the same rows.
    const rows = ask(firstBadRows, { tenant, user, executionId })
    shared.set(key, { at: now, rows })
    const found = await rows
    slowInARow = 0
    return found
  }

  return async (tenant, { owner, type }, { body, badRowsOf }) => {
    if (badRowsOf === undefined) return body
    try {
      const rows = await rowsOf(tenant, owner, badRowsOf)
      return rows === undefined ? body : withBadRows(type, body, rows)
    } catch (error) {
      if (clock.now() >= pausedUntil)
        logger.warn({ error: messageOf(error) }, 'messages go without bad rows, because these could not be read')
      const until = clock.now() + pauseMs
      if (slow.size >= maxShared) slow.clear()
      slow.set(keyOf(tenant, badRowsOf), until)
      slowInARow = isAssayError(error, 'timeout') ? slowInARow + 1 : maxSlow
      if (slowInARow >= maxSlow) pausedUntil = until
      return body
    }
  }
}
