import { expect, it } from 'vitest'
import {
  decideUidReservation,
  evolveUidReservation,
  holdMs,
  isRefused,
  noUidReservations,
  type UidReservationState,
} from './uid-reservation.ts'

const start = Date.parse('2026-01-01T10:00:00.000Z')
const asked = (owner: string, passed: number) => ({ owner, at: new Date(start + passed).toISOString() })

function after(...all: [owner: string, passed: number, ...uids: string[]][]): UidReservationState {
  return all.reduce<UidReservationState>(
    (state, [owner, passed, ...uids]) =>
      decideUidReservation({ type: 'ReserveUids', uids, ...asked(owner, passed) }, state).reduce(
        evolveUidReservation,
        state,
      ),
    noUidReservations,
  )
}

it('given a UID that another asset is about to get, then it is refused until that one is written or never will be', () => {
  const state = after(['a', 0, 's.x', 's.y'], ['b', 1, 's.y', 's.z'])
  expect(['s.x', 's.y', 's.z'].map((uid) => isRefused(state, uid, asked('b', 1)))).toEqual([true, true, false])
  expect(isRefused(state, 's.y', asked('a', 1))).toBe(false)
  expect(isRefused(state, 's.x', asked('b', holdMs - 1))).toBe(true)
  expect(isRefused(state, 's.x', asked('b', holdMs))).toBe(false)
})

it('given reservations that have expired, then they are not kept', () => {
  expect(Object.keys(after(['a', 0, 's.x'], ['b', holdMs, 's.y']))).toEqual(['s.y'])
})
