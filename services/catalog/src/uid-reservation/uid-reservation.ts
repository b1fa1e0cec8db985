/** A reservation expires after this many milliseconds: its asset has been written by then, or never will be. */
export const holdMs = 60_000

/** UIDs by the stream of the asset that gets them, for itself or for its columns. */
export type Reserved = { [owner: string]: string[] }

/**
 * All UIDs that a process is about to assign below one parent. They replace its earlier reservations there, so the state
 * has only UIDs of assets that are being written.
 */
export type UidsReserved = { type: 'UidsReserved'; data: { process: string; reserved: Reserved; at: string } }

export type ReserveUids = { type: 'ReserveUids' } & UidsReserved['data']

/** Reservations by process. */
export type UidReservationState = { [process: string]: { reserved: Reserved; at: string } }

export const noUidReservations: UidReservationState = {}

function isHeld(reservedAt: string, at: string): boolean {
  return Date.parse(at) - Date.parse(reservedAt) < holdMs
}

/** The requested UIDs that another process is about to assign to another asset. */
export function refusedUids({ process, reserved, at }: Omit<ReserveUids, 'type'>, state: UidReservationState) {
  const others = Object.entries(state).filter(([other, held]) => other !== process && isHeld(held.at, at))
  const owners = new Map(
    others.flatMap(([, held]) =>
      Object.entries(held.reserved).flatMap(([owner, uids]) => uids.map((uid) => [uid, owner])),
    ),
  )
  const asked = Object.entries(reserved)
  return new Set(asked.flatMap(([owner, uids]) => uids.filter((uid) => (owners.get(uid) ?? owner) !== owner)))
}

/** Reserves the UIDs that are not refused. */
export function decideUidReservation({ type: _, ...command }: ReserveUids, state: UidReservationState): UidsReserved[] {
  const refused = refusedUids(command, state)
  const free = Object.entries(command.reserved).flatMap(([owner, uids]) => {
    const left = uids.filter((uid) => !refused.has(uid))
    return left.length === 0 ? [] : [[owner, left] as const]
  })
  return free.length === 0 ? [] : [{ type: 'UidsReserved', data: { ...command, reserved: Object.fromEntries(free) } }]
}

/** The state after an event. Reservations of processes that have ended are dropped once they have expired. */
export function evolveUidReservation(state: UidReservationState, { data }: UidsReserved): UidReservationState {
  const { process, ...held } = data
  const others = Object.entries(state).filter(([other, { at }]) => other !== process && isHeld(at, held.at))
  return Object.fromEntries([...others, [process, held]])
}
