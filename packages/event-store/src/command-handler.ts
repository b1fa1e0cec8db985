import type { DocumentPut, Documents } from '@assay/documents'
import { type Clock, currentTrace, isoTime, type NewId, noteWrite, type Timers } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import type { Commit } from './commit.ts'
import type { Aggregate, AggregateKey, DomainEvent } from './decider.ts'
import { asRead } from './json.ts'
import { createKeyedMutex } from './mutex.ts'
import { type EventMetadata, type EventStore, type NewEvent, streamName } from './port.ts'
import { retryOnConflict } from './retry-on-conflict.ts'
import { snapshotAfter } from './snapshots.ts'
import type { Loaded } from './state-cache.ts'
import { createStates } from './states.ts'
import { streamStateText } from './stream-state.ts'

/** The actor of a command, and the request or event that caused it. */
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
  /** The state that the caller has seen. Any other state is a `conflict`, which is not retried. */
  expected?: 'none' | 'exists' | number | undefined
  /** The stream probably does not exist. Saves its read: it is read only if the append meets a conflict. */
  isNew?: boolean | undefined
}

export interface Handled<State, Event> extends Loaded<State> {
  /** The decided events; empty if there was nothing to do. */
  events: readonly Event[]
}

/** Callers must not change the returned states: later commands are decided on them. */
export interface CommandHandler {
  /**
   * Decides on the last known state and appends at its revision, so a write usually reads nothing. Updates the state
   * and decides again if another writer was first, and before it refuses a command or reports that there is nothing to
   * do. Throws the errors of `decide` unchanged, the errors of the store, and `conflict` after fifty attempts or if
   * `expected` does not hold.
   */
  handle<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    request: CommandRequest<Command>,
  ): Promise<Handled<State, Event>>
  /** The current state. */
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

/** The decided events as JSON would return them. */
function decisionOn<State, Command, Event extends DomainEvent>(
  aggregate: Aggregate<State, Command, Event>,
  { command, expected }: CommandRequest<Command>,
  before: Loaded<State>,
): readonly Event[] {
  checkExpected(expected, before.revision)
  return aggregate.decider.decide(command, before.state).map(asRead)
}

/**
 * Decides on a state that may be stale. `undefined` if no event was decided: only the current state can confirm that.
 */
function decisionOnKnown<State, Command, Event extends DomainEvent>(
  ...[aggregate, request, before]: Parameters<typeof decisionOn<State, Command, Event>>
): readonly Event[] | undefined {
  try {
    const decided = decisionOn(aggregate, request, before)
    return decided.length > 0 ? decided : undefined
  } catch {
    return undefined
  }
}

/** Without `documents`, states start from the beginning of their streams. `maxStateBytes`: createStates. */
export function createCommandHandler(options: {
  store: Pick<EventStore, 'read'>
  commit: Commit
  documents?: Pick<Documents, 'get'>
  clock: Clock
  timers: Pick<Timers, 'sleep'>
  newId: NewId
  maxStateBytes?: number
}): CommandHandler {
  const { store, commit, documents, clock, timers, newId, maxStateBytes } = options
  const mutex = createKeyedMutex()
  const states = createStates({ store, documents, maxBytes: maxStateBytes })

  async function append<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    key: AggregateKey,
    context: CommandContext,
    before: Loaded<State>,
    decided: readonly Event[],
  ): Promise<Handled<State, Event>> {
    const { category, schemaVersion, decider } = aggregate
    const { tenant, id } = key
    const occurredAt = isoTime(clock.now())
    const metadata: EventMetadata = { ...context, ...currentTrace(), tenant, schemaVersion, occurredAt }
    let { state } = before
    const snapshots: DocumentPut[] = []
    const events = decided.map((event, index): NewEvent => {
      state = decider.evolve(state, event)
      const made = { id: newId(), type: event.type, data: event.data, metadata }
      const revision = before.revision + 1 + index
      if (documents) snapshots.push(...snapshotAfter(aggregate, key, { id: made.id, revision }, state))
      return made
    })
    const stream = streamName(tenant, category, id)
    const expected = before.revision === -1 ? 'none' : before.revision
    const ofEvents = (position: string) =>
      events.flatMap((event, index) => {
        const revision = before.revision + 1 + index
        return aggregate.eventDocuments?.({ ...event, stream, revision, position, recordedAt: occurredAt }) ?? []
      })
    const appended = await commit({ stream, events, expected }, (source) => [
      ...aggregate.documents(state, key, source),
      ...ofEvents(source.position),
      ...snapshots,
    ])
    states.keep(aggregate, key, { state, ...appended })
    return { state, events: decided, ...appended }
  }

  async function exclusively<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    request: CommandRequest<Command>,
  ): Promise<Handled<State, Event>> {
    const key = { tenant: request.tenant, id: String(request.id) }
    const { initialState } = aggregate.decider
    const none = { state: initialState, revision: -1, position: undefined }
    const known = states.known(aggregate, key) ?? (request.isNew ? none : undefined)
    const fromKnown = known && decisionOnKnown(aggregate, request, known)
    if (known && fromKnown) {
      try {
        return await append(aggregate, key, request.context, known, fromKnown)
      } catch (error) {
        if (!isAssayError(error, 'conflict')) throw error
      }
    }
    const onCurrent = async (): Promise<Handled<State, Event>> => {
      const before = await states.current(aggregate, key)
      const decided = decisionOn(aggregate, request, before)
      if (decided.length === 0) return { ...before, events: decided }
      return append(aggregate, key, request.context, before, decided)
    }
    return request.expected === undefined ? retryOnConflict(timers, onCurrent) : onCurrent()
  }

  return {
    load: (aggregate, tenant, id) => states.current(aggregate, { tenant, id: String(id) }),
    // Commands of this process on one stream are serialised. Otherwise, of a hundred concurrent commands, only one
    // would succeed per round.
    async handle(aggregate, request) {
      const stream = streamName(request.tenant, aggregate.category, request.id)
      const handled = await mutex.run(stream, () => exclusively(aggregate, request))
      if (handled.revision >= 0) noteWrite({ state: streamStateText(stream, handled.revision) })
      return handled
    },
  }
}
