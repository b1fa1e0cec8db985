import type { Documents, Source } from '@assay/documents'
import { type Clock, currentTrace, isoTime, type NewId } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import type { Commit } from './commit.ts'
import { type Aggregate, type DomainEvent, fold } from './decider.ts'
import { type EventMetadata, type EventStore, type NewEvent, type Position, streamName } from './port.ts'
import { createTurnsByKey } from './turns.ts'

/** Times that a command is decided anew because another writer was first. */
const maxTries = 20

/** On whose behalf a command runs, and what it belongs to. */
export interface CommandContext {
  actor: string
  accessKey?: string | undefined
  correlationId?: string | undefined
  causationId?: string | undefined
}

export interface CommandRequest<Command> {
  tenant: string
  id: string | number
  command: Command
  context: CommandContext
  /** Where the caller states which state it has seen; anything else is a `conflict`, without another try. */
  expected?: 'none' | 'exists' | number | undefined
}

export interface Loaded<State> {
  state: State
  /** Revision of the stream's last event, -1 when there is none. */
  revision: number
  /** Position of the stream's last event. */
  position: Position | undefined
}

export interface Handled<State, Event> extends Loaded<State> {
  /** What was decided; empty when there was nothing to do. */
  events: readonly Event[]
}

export interface CommandHandler {
  /**
   * Reads, folds, decides and appends at the revision it has read. When another writer was first it starts over.
   * Errors: those of `decide`, unchanged; `conflict` after twenty tries or when `expected` does not hold; those of the store.
   */
  handle<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    request: CommandRequest<Command>,
  ): Promise<Handled<State, Event>>
  load<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    tenant: string,
    id: string | number,
  ): Promise<Loaded<State>>
}

function checkExpected(expected: CommandRequest<unknown>['expected'], revision: number): void {
  const holds =
    expected === undefined ||
    (expected === 'none' ? revision === -1 : expected === 'exists' ? revision >= 0 : revision === expected)
  if (holds) return
  throw new AssayError('conflict', 'This has changed since it was read. Read it again and repeat the change.', {
    details: { expected, revision },
  })
}

/** Without `documents`, snapshots of aggregates are not used. */
export function createCommandHandler(options: {
  store: Pick<EventStore, 'read'>
  commit: Commit
  documents?: Pick<Documents, 'get'>
  clock: Clock
  newId: NewId
}): CommandHandler {
  const { store, commit, documents, clock, newId } = options
  const turns = createTurnsByKey()

  async function load<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    tenant: string,
    id: string | number,
  ): Promise<Loaded<State>> {
    const stream = streamName(tenant, aggregate.category, id)
    const snapshot = documents && (await aggregate.snapshot?.(documents, { tenant, id: String(id) }))
    if (snapshot === undefined) {
      const { events, revision } = await store.read(stream)
      const state = fold(aggregate, aggregate.decider.initialState, events)
      return { state, revision, position: events.at(-1)?.position }
    }
    const { document, source } = snapshot
    const { events } = await store.read(stream, { from: source.revision + 1 })
    // What was folded counts. The stream may be further already: what is decided on this state must then be refused.
    const last = events.at(-1) ?? source
    return { state: fold(aggregate, document, events), revision: last.revision, position: last.position }
  }

  async function attempt<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    request: CommandRequest<Command>,
  ): Promise<Handled<State, Event>> {
    const { tenant, id, command, context } = request
    const before = await load(aggregate, tenant, id)
    checkExpected(request.expected, before.revision)
    const decided = aggregate.decider.decide(command, before.state)
    if (decided.length === 0) return { ...before, events: decided }
    const state = decided.reduce((folded, event) => aggregate.decider.evolve(folded, event), before.state)
    const occurredAt = isoTime(clock.now())
    const metadata: EventMetadata = {
      ...context,
      ...currentTrace(),
      tenant,
      schemaVersion: aggregate.schemaVersion,
      occurredAt,
    }
    const events = decided.map(({ type, data }): NewEvent => ({ id: newId(), type, data, metadata }))
    const stream = streamName(tenant, aggregate.category, id)
    const expected = before.revision === -1 ? 'none' : before.revision
    const puts = (source: Source) => aggregate.documents(state, { tenant, id: String(id) }, source)
    const appended = await commit({ stream, events, expected }, puts)
    return { state, events: decided, ...appended }
  }

  return {
    load,
    handle(aggregate, request) {
      // Commands of this process on one stream take turns: otherwise each round of a hundred would have one winner.
      const stream = streamName(request.tenant, aggregate.category, request.id)
      return turns.run(stream, async () => {
        for (let tries = 1; ; tries++) {
          try {
            return await attempt(aggregate, request)
          } catch (error) {
            const retry = isAssayError(error, 'conflict') && request.expected === undefined && tries < maxTries
            if (!retry) throw error
          }
        }
      })
    },
  }
}
