import type { Position } from '../port.ts'

/** Zero-padded, so that the order of the texts is the order of the log. */
export function positionText(rowid: number): Position {
  return String(rowid).padStart(20, '0')
}

/** The rowid of a position; 0 for the beginning. */
export function rowidOf(position: Position | undefined): number {
  return position === undefined ? 0 : Number(position)
}
