import { createHash } from 'node:crypto'
import { type Clock, leaveUnnoted, type NewId, type Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { type CommandHandler, createCommandHandler } from './command-handler.ts'
import type { Aggregate, Decider } from './decider.ts'
import type { EventStore } from './port.ts'

/** After this time another owner may take an unconfirmed name: presumably the first owner was never created. */
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

/** Whether the name is free, `owner` has it, or another owner did not confirm it in time. */
function isAvailable(state: State, owner: string, now: number): boolean {
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
        if (!isAvailable(state, command.owner, command.now)) throw taken(command.name)
        // A repeated hold renews the first one.
        return own && state.status === 'confirmed' ? [] : [held(command)]
      case 'confirm': {
        if (!isAvailable(state, command.owner, command.now)) throw taken(command.name)
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

/** Names are case-sensitive; to ignore case, pass them folded. */
export interface Reservations {
  /**
   * Reserves the name before its owner is created. Throws `taken` if another owner has it. The same owner may call it
   * again.
   */
  hold(tenant: string, scope: string, name: string, owner: string): Promise<void>
  /**
   * Makes the reservation permanent. Call it once the owner exists. Throws `taken` if another owner took the name
   * meanwhile.
   */
  confirm(tenant: string, scope: string, name: string, owner: string): Promise<void>
  /** Releases the name if `owner` has it. */
  release(tenant: string, scope: string, name: string, owner: string): Promise<void>
  /** The current owner of the name, confirmed or not. */
  ownerOf(tenant: string, scope: string, name: string): Promise<string | undefined>
}

/** Keeps `name` unique within `scope` of a tenant, by streams `<tenant>/reservation-<hash of scope and name>`. */
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
    const request = { tenant, id: idOf(scope, name), command, context: { actor: 'system' } }
    // No other service copies reservations, so nobody could wait for one.
    await leaveUnnoted(() => handler.handle(reservation, request))
  }

  return {
    hold: (tenant, scope, name, owner) =>
      run(tenant, scope, name, { kind: 'hold', scope, name, owner, now: clock.now() }),
    confirm: (tenant, scope, name, owner) =>
      run(tenant, scope, name, { kind: 'confirm', scope, name, owner, now: clock.now() }),
    release: (tenant, scope, name, owner) => run(tenant, scope, name, { kind: 'release', owner }),
    async ownerOf(tenant, scope, name) {
      const { state } = await handler.load(reservation, tenant, idOf(scope, name))
      const free = state.status === 'free' || !isAvailable(state, state.owner, clock.now())
      return free ? undefined : state.owner
    },
  }
}
