import { notificationOperations as operations } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { type Clock, type Logger, messageOf, type Route, route, type Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { EventBuffer } from './event-buffer.ts'
import { createEventReader } from './reader.ts'
import { createSlots } from './slots.ts'
import { eventStream } from './stream.ts'
import { followTail } from './tail.ts'
import { newReader, tailReader } from './tail-reader.ts'
import { createTails } from './tails.ts'
import { audienceOf } from './visible.ts'

/** Maximum number of streams per key and process. */
const maxOfKey = 10

/** The public events of a tenant as a stream. `stop` ends all streams and refuses new ones. */
export function createEventRoutes(deps: {
  documents: Documents
  buffer: EventBuffer
  timers: Timers
  clock: Clock
  logger: Logger
  /** Whether there are no other replicas. */
  isSole: boolean | undefined
  /** From 0 to 1. */
  random: () => number
}): { routes: Route[]; stop(): void } {
  const { documents, buffer, timers, clock, logger, isSole, random } = deps
  const slots = createSlots(maxOfKey)
  const stopping = new AbortController()
  const tails = createTails((tenant, signal) => followTail({ documents, buffer, timers, tenant, isSole, signal }))

  const routes = [
    route(operations.streamEvents, async (call) => {
      const { tenant, accessKey } = call.identity
      const key = JSON.stringify([tenant, accessKey])
      if (stopping.signal.aborted)
        throw new AssayError('unavailable', 'The service is stopping. Try again in a moment.')
      const slot = slots.take(key)
      const { tail, release } = tails.use(tenant)
      const free = () => {
        release()
        slot.free()
      }
      try {
        const lastEventId = (call.lastEventId || call.query.lastEventId) ?? undefined
        const { type: types, entity: entities, subject: subjects, since } = call.query
        const from = lastEventId ? { lastEventId } : since === undefined ? undefined : { since }
        const wanted = { types, entities, subjects, since: lastEventId ? undefined : since }
        const audience = audienceOf(call.identity, wanted)
        const reader =
          from === undefined
            ? newReader(tail, audience, buffer.settledUntil() + 1)
            : tailReader(await createEventReader({ documents, buffer, tenant, from }), tail, audience)
        const events = eventStream({
          reader,
          timers,
          clock,
          random,
          onMore: tail.onMore,
          signal: AbortSignal.any([call.signal, stopping.signal]),
          // With an error: without one, the connection would stay open.
          onEnd: () => slot.end(() => events.destroy(new Error('The key has opened another stream.'))),
          onError: (error) => logger.warn({ error: messageOf(error) }, 'a stream of events broke off'),
        })
        events.once('close', free)
        return { events }
      } catch (error) {
        free()
        throw error
      }
    }),
  ]
  return { routes, stop: () => stopping.abort() }
}
