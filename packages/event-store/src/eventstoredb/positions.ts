import { AssayError } from '@assay/service-kit/errors'
import type { Position } from '../port.ts'

/** The position of a record in the transaction log. */
export interface LogPosition {
  commit: bigint
  prepare: bigint
}

/** Digits of the largest unsigned 64-bit number. */
const digits = 20
/**
 * Servers report an unknown position as -1 in an unsigned number. Their own positions are signed, so none reaches this.
 */
const unknownFrom = 2n ** 63n

/** The commit and prepare positions, zero-padded so that the order of the texts is the order of the log. */
export function positionText({ commit, prepare }: LogPosition): Position {
  return `${String(commit).padStart(digits, '0')}-${String(prepare).padStart(digits, '0')}`
}

/** The position before every event. */
export const startPosition: Position = positionText({ commit: 0n, prepare: 0n })

/** `start` for the beginning. Throws `invalid` if the text is not a position of this adapter. */
export function logPosition(position: Position | undefined): LogPosition | 'start' {
  if (position === undefined || position === startPosition) return 'start'
  const [, commit, prepare] = /^(\d{20})-(\d{20})$/.exec(position) ?? []
  if (commit === undefined || prepare === undefined) {
    throw new AssayError(
      'invalid',
      'This position is from another kind of event store. Start again without a position.',
    )
  }
  return { commit: BigInt(commit), prepare: BigInt(prepare) }
}

/** The position; `undefined` if the server did not know it. */
export function knownPosition(position: LogPosition | undefined): LogPosition | undefined {
  return position === undefined || position.commit >= unknownFrom ? undefined : position
}
