import type { Aggregate } from '@assay/event-store'
import {
  decideUidReservation,
  evolveUidReservation,
  noUidReservations,
  type ReserveUids,
  type UidReservationState,
  type UidsReserved,
} from './uid-reservation.ts'

/** One per parent of UIDs (all before the last dot): streams `<tenant>/uidreservation-<hash of it>`. */
export const uidReservationAggregate: Aggregate<UidReservationState, ReserveUids, UidsReserved> = {
  category: 'uidreservation',
  decider: { initialState: noUidReservations, decide: decideUidReservation, evolve: evolveUidReservation },
  schemaVersion: 1,
  documents: () => [],
}
