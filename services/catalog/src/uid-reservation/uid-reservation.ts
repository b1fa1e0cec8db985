/** A reservation of this age goes to the next asset that asks: its asset has been written by then, or never will be. */
export const holdMs = 60_000

/** `owner`: the stream of the asset that gets the UIDs, itself or for its columns. */
export type UidsReserved = { type: 'UidsReserved'; data: { uids: string[]; owner: string; at: string } }

export type ReserveUids = { type: 'ReserveUids' } & UidsReserved['data']

/** The reservations of the last minute, by UID. */
export type UidReservationState = { [uid: string]: { owner: string; at: string } }

export const noUidReservations: UidReservationState = {}

function ageOf(reservedAt: string, at: string): number {
  return Date.parse(at) - Date.parse(reservedAt)
}

/** Whether another asset is about to get the UID. */
export function isRefused(state: UidReservationState, uid: string, { owner, at }: Omit<ReserveUids, 'type' | 'uids'>) {
  const held = state[uid]
  return held !== undefined && held.owner !== owner && ageOf(held.at, at) < holdMs
}

/** Reserves those of the UIDs that no other asset is about to get. */
export function decideUidReservation({ type: _, ...command }: ReserveUids, state: UidReservationState): UidsReserved[] {
  const uids = command.uids.filter((uid) => !isRefused(state, uid, command))
  return uids.length === 0 ? [] : [{ type: 'UidsReserved', data: { ...command, uids } }]
}

/** The state after an event. Expired reservations are dropped, so that it stays small. */
export function evolveUidReservation(state: UidReservationState, { data }: UidsReserved): UidReservationState {
  const { uids, owner, at } = data
  const held = Object.entries(state).filter(([, reserved]) => ageOf(reserved.at, at) < holdMs)
  return Object.fromEntries([...held, ...uids.map((uid) => [uid, { owner, at }] as const)])
}
