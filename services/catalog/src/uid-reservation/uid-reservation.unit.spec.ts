import { expect, it } from 'vitest'
import {
  decideUidReservation,
  evolveUidReservation,
  holdMs,
  noUidReservations,
  type Reserved,
  refusedUids,
  type UidReservationState,
} from './uid-reservation.ts'

const start = Date.parse('2026-01-01T10:00:00.000Z')
const asked = (process: string, passed: number, reserved: Reserved) => ({
  process,
  reserved,
  at: new Date(start + passed).toISOString(),
})
type Asked = ReturnType<typeof asked>

function after(...all: Asked[]): UidReservationState {
  return all.reduce<UidReservationState>(
    (state, command) =>
      decideUidReservation({ type: 'ReserveUids', ...command }, state).reduce(evolveUidReservation, state),
    noUidReservations,
  )
}
const refused = (state: UidReservationState, command: Asked) => [...refusedUids(command, state)]

it('given a UID reserved by another process, then only the asset of that reservation gets it until the reservation expires', () => {
  const state = after(asked('p', 0, { a: ['s.x', 's.y'] }), asked('q', 1, { b: ['s.y', 's.z'] }))
  expect(refused(state, asked('q', 1, { b: ['s.x', 's.y', 's.z'] }))).toEqual(['s.x', 's.y'])
  expect(refused(state, asked('p', 1, { c: ['s.z'] }))).toEqual(['s.z'])
  expect(refused(state, asked('r', 1, { a: ['s.y'], b: ['s.z'] }))).toEqual([])
  expect(refused(state, asked('q', holdMs - 1, { b: ['s.x'] }))).toEqual(['s.x'])
  expect(refused(state, asked('q', holdMs, { b: ['s.x'] }))).toEqual([])
})

it('given a later reservation of the same process, then it replaces the earlier one', () => {
  const state = after(asked('p', 0, { a: ['s.x'] }), asked('p', 1, { b: ['s.y'] }))
  expect(refused(state, asked('q', 1, { c: ['s.x', 's.y'] }))).toEqual(['s.y'])
})

it('given a process that has ended, then its expired reservations are dropped', () => {
  expect(Object.keys(after(asked('p', 0, { a: ['s.x'] }), asked('q', holdMs, { b: ['s.y'] })))).toEqual(['q'])
})
