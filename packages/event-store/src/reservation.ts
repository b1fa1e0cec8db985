import { createHash } from 'node:crypto'
import type { Clock, NewId, Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { type CommandHandler, createCommandHandler } from './command-handler.ts'
import type { Aggregate, Decider } from './decider.ts'
import type { EventStore } from './port.ts'

/** An unconfirmed hold this old goes to the next who asks: its owner was never created. */
export const holdMilliseconds = 60_000

type State =
  | { status: 'free' }
  | { status: 'held'; owner: string; heldAt: number }
  | { status: 'confirmed'; owner: string }

type Command =
  | { kind: 'hold'; scope: string; name: string; owner: string; now: number }
  | { kind: 'confirm'; scope: string; name: string; owner: string; now: number }
  | { kind: 'release'; owner: string }

type Event =
  | { type: 'NameHeld'; data: { scope: string; name: string; owner: string; heldAt: number } }
  | { type: 'NameConfirmed'; data: { owner: string } }
  | { type: 'NameReleased'; data: { owner: string } }

function taken(name: string): AssayError {
  return new AssayError('taken', `The name "${name}" is already in use. Choose another.`)
}

/** Whether `owner` could have the name: it is free, its own, or held by another who did not confirm in time. */
function within(state: State, owner: string, now: number): boolean {
  if (state.status === 'free' || state.owner === owner) return true
  return state.status === 'held' && now - state.heldAt >= holdMilliseconds
}

function held(command: { scope: string; name: string; owner: string; now: number }): Event {
  const { scope, name, owner, now } = command
  return { type: 'NameHeld', data: { scope, name, owner, heldAt: now } }
}

export const reservationDecider: Decider<State, Command, Event> = {
  initialState: { status: 'free' },
  decide(command, state) {
    const own = state.status !== 'free' && state.owner === command.owner
    switch (command.kind) {
      case 'hold':
        if (!within(state, command.owner, command.now)) throw taken(command.name)
        // A hold that is asked for again begins anew, so that it does not run out under its owner.
        return own && state.status === 'confirmed' ? [] : [held(command)]
      case 'confirm': {
        if (!within(state, command.owner, command.now)) throw taken(command.name)
        if (own && state.status === 'confirmed') return []
        const confirmed: Event = { type: 'NameConfirmed', data: { owner: command.owner } }
        return own ? [confirmed] : [held(command), confirmed]
      }
      case 'release':
        return own ? [{ type: 'NameReleased', data: { owner: command.owner } }] : []
      default:
        return command satisfies never
    }
  },
  evolve(_state, event) {
    switch (event.type) {
      case 'NameHeld':
        return { status: 'held', owner: event.data.owner, heldAt: event.data.heldAt }
      case 'NameConfirmed':
        return { status: 'confirmed', owner: event.data.owner }
      case 'NameReleased':
        return { status: 'free' }
      default:
        return event satisfies never
    }
  },
}

const reservation: Aggregate<State, Command, Event> = {
  category: 'reservation',
  decider: reservationDecider,
  schemaVersion: 1,
  documents: () => [],
}

/** Names are compared exactly; to ignore case, pass them folded. */
export interface Reservations {
  /** Before the owner is made. `taken` when another owner has it; the same owner may ask again. */
  hold(tenant: string, scope: string, name: string, owner: string): Promise<void>
  /** Once the owner is there: its name does not run out. `taken` when the hold ran out and another took it. */
  confirm(tenant: string, scope: string, name: string, owner: string): Promise<void>
  /** Frees the name if `owner` has it. */
  release(tenant: string, scope: string, name: string, owner: string): Promise<void>
  /** Who has the name now, held or confirmed. */
  ownerOf(tenant: string, scope: string, name: string): Promise<string | undefined>
}

/** Uniqueness of `name` within `scope` of a tenant, in streams `<tenant>/reservation-<hash of scope and name>`. */
export function createReservations(options: {
  store: Pick<EventStore, 'read' | 'append'>
  clock: Clock
  timers: Pick<Timers, 'sleep'>
  newId: NewId
}): Reservations {
  const { store, clock, timers, newId } = options
  const handler: CommandHandler = createCommandHandler({
    store,
    clock,
    timers,
    newId,
    commit: ({ stream, events, expected }) => store.append(stream, events, expected),
  })
  const idOf = (scope: string, name: string): string =>
    createHash('sha256')
      .update(JSON.stringify([scope, name]))
      .digest('hex')
      .slice(0, 40)

  async function run(tenant: string, scope: string, name: string, command: Command): Promise<void> {
    await handler.handle(reservation, { tenant, id: idOf(scope, name), command, context: { actor: 'system' } })
  }

  return {
    hold: (tenant, scope, name, owner) =>
      run(tenant, scope, name, { kind: 'hold', scope, name, owner, now: clock.now() }),
    confirm: (tenant, scope, name, owner) =>
      run(tenant, scope, name, { kind: 'confirm', scope, name, owner, now: clock.now() }),
    release: (tenant, scope, name, owner) => run(tenant, scope, name, { kind: 'release', owner }),
    async ownerOf(tenant, scope, name) {
      const { state } = await handler.load(reservation, tenant, idOf(scope, name))
      const free = state.status === 'free' || !within(state, state.owner, clock.now())
      return free ? undefined : state.owner
    },
  }
}
