import { changesBetween } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import {
  type Checkpoints,
  createProcessor,
  type EventStore,
  fold,
  type MakeProcessor,
  type Processor,
  parseStreamName,
  type RecordedEvent,
} from '@assay/event-store'
import { type Clock, type Logger, messageOf, type Timers } from '@assay/service-kit'
import { z } from 'zod'
import { defaultTenant } from '../dependencies.ts'
import { keyAggregate } from '../key/aggregate.ts'
import { initialKey, type KeyState } from '../key/key.ts'
import { serviceUserAggregate } from '../service-user/aggregate.ts'
import { noServiceUser } from '../service-user/service-user.ts'
import { tenantAggregate } from '../tenant/tenant.ts'
import type { AuditDocument } from './collection.ts'
import { auditPut } from './feed.ts'

type Fields = Readonly<Record<string, unknown>>
type Written = { tenant: string; entityType: string; entityId: string; before: Fields | null; after: Fields | null }

/** A key in the audit: without hashes, but with the time at which each older secret ends. */
function shownKey(state: KeyState): Fields | null {
  if (state.status === 'absent') return null
  const { accessKey, displayName, user, validTill, permissions, status, suspended, serviceUserId, retiring } = state
  const key = { accessKey, displayName, user, validTill, permissions, status, suspended }
  return { ...key, serviceUserId: serviceUserId ?? null, retiring: retiring.map((old) => old.validTill) }
}

/** The audited change of a gateway event. `events`: its stream up to and including this event. Pure. */
function writtenBy(event: RecordedEvent, events: readonly RecordedEvent[]): Written | undefined {
  const earlier = events.slice(0, -1)
  const name = parseStreamName(event.stream)
  switch (name?.category) {
    case keyAggregate.category: {
      const after = fold(keyAggregate, initialKey, events)
      if (after.status === 'absent') return undefined
      const change = changesBetween(shownKey(fold(keyAggregate, initialKey, earlier)), shownKey(after))
      const { rotatedAt } = event.data
      const rotation = rotatedAt === undefined ? {} : { rotatedAt }
      const about = { tenant: after.tenant, entityType: 'API_KEY', entityId: after.accessKey }
      return { ...about, ...change, after: { ...change.after, ...rotation } }
    }
    case tenantAggregate.category:
      return { tenant: defaultTenant, entityType: 'TENANT', entityId: name.id, before: null, after: event.data }
    case serviceUserAggregate.category: {
      const shown = (part: readonly RecordedEvent[]) => {
        const state = fold(serviceUserAggregate, noServiceUser, part)
        if (state.status === 'absent') return null
        const { username, description, enabled, roles } = state
        return { username, description, enabled, roles }
      }
      const about = { tenant: name.tenant, entityType: 'SERVICE_USER', entityId: name.id }
      return { ...about, ...changesBetween(shown(earlier), shown(events)) }
    }
    default:
      return undefined
  }
}

const json = z.json()

/** Writes audit lines for the gateway's own events, from its log. */
export function createOwnAudit(deps: {
  store: EventStore
  documents: Pick<Documents, 'put'>
  checkpoints: Checkpoints
  clock: Clock
  timers: Timers
  logger: Logger
  makeProcessor?: MakeProcessor | undefined
}): Processor {
  const { store, documents, checkpoints, clock, timers, logger, makeProcessor = createProcessor } = deps

  async function lineOf(event: RecordedEvent): Promise<{ tenant: string; line: AuditDocument } | undefined> {
    const { events } = await store.read(event.stream, { limit: event.revision + 1 })
    const written = writtenBy(event, events)
    if (written === undefined) return undefined
    const { tenant, before, after, ...entity } = written
    const { actor, occurredAt: at } = event.metadata
    const accessKey = event.metadata.accessKey || null
    const change = { before: json.parse(before), after: json.parse(after) }
    const line = { id: event.id, at, actor, accessKey, action: event.type, ...entity, ...change }
    return { tenant, line: { ...line, position: event.position } }
  }

  return makeProcessor({
    name: 'gateway-audit',
    store,
    checkpoints,
    categories: [keyAggregate.category, tenantAggregate.category, serviceUserAggregate.category],
    async handle(events) {
      for (const event of events) {
        const made = await lineOf(event)
        if (made) await documents.put([auditPut(made.tenant, made.line)])
      }
    },
    onError(error, { event, parked }) {
      logger.error(
        { error: messageOf(error), stream: event?.stream, parked },
        'a change of the gateway was not audited',
      )
    },
    clock,
    timers,
  })
}
