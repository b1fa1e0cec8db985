import type { Aggregate } from '@assay/event-store'
import {
  decideUidReservation,
  evolveUidReservation,
  noUidReservations,
  type ReserveUids,
  type UidReservationState,
  type UidsReserved,
} from './uid-reservation.ts'

/** Reserved UIDs with the same part before the last dot: streams `<tenant>/uidreservation-<hash of that part>`. */
export const uidReservationAggregate: Aggregate<UidReservationState, ReserveUids, UidsReserved> = {
  category: 'uidreservation',
  decider: { initialState: noUidReservations, decide: decideUidReservation, evolve: evolveUidReservation },
  schemaVersion: 1,
  documents: () => [],
}
