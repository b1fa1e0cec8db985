import type { LastChange } from '@assay/data-engine'
import type { Found } from '../kinds/judging.ts'
import { changeIn } from './learned.ts'

/** Figures of a run: the rows that it read (`null` if no item counts them), and what the source says about the table. */
export interface CadenceFigures {
  rows: number | null
  change: LastChange | undefined
}

export function figuresIn(found: readonly Found[]): CadenceFigures {
  const rows = found.flatMap((one) => (one.kind === 'MEASURE' ? [one.rowsScanned] : []))[0] ?? null
  return { rows, change: changeIn(found) }
}

/** A figure now, or its change since the run before. `needs`: the capability that the table must have. */
interface Measure {
  of: (figures: CadenceFigures) => number | null
  isDrift?: true
  needs: 'ROWS' | 'FILES' | 'MESSAGES'
  what: string
}

const rows: Measure = { of: (figures) => figures.rows, needs: 'ROWS', what: 'rows' }
const bytes: Measure = { of: ({ change }) => change?.bytes ?? null, needs: 'FILES', what: 'bytes' }
const files: Measure = { of: ({ change }) => change?.files ?? null, needs: 'FILES', what: 'files' }
const newest: Measure = { ...bytes, of: ({ change }) => change?.newestBytes ?? null, what: 'bytes of the newest file' }
const messages: Measure = { of: ({ change }) => change?.messages ?? null, needs: 'MESSAGES', what: 'messages' }
const driftOf = (measure: Measure): Measure => ({ ...measure, isDrift: true })

/** The measures by type (decision 114). Topics have no sizes, because the Kafka client cannot request them. */
const measures: Readonly<Record<string, Measure>> = {
  RECORD_COUNT_TOTAL: rows,
  RECORD_COUNT_DRIFT: driftOf(rows),
  DATA_VOLUME_TOTAL: bytes,
  DATA_VOLUME_DRIFT: driftOf(bytes),
  FILE_COUNT_TOTAL: files,
  FILE_COUNT_DRIFT: driftOf(files),
  CHANGE_IN_FILE_SIZE: driftOf(bytes),
  ABSOLUTE_FILE_SIZE: newest,
  RAW_ABSOLUTE_SIZE: bytes,
  MESSAGES_COUNT_TOTAL: messages,
  MESSAGES_COUNT_DRIFT: driftOf(messages),
}

/** The measure of that type; `undefined` if it is not about a figure of the table. Pure. */
export const measureOf = (measurementType: string): Measure | undefined => measures[measurementType]

/** The capability that a table needs for a measure of that type; `undefined` if no table has it. Pure. */
export const neededBy = (measurementType: string): Measure['needs'] | undefined => measureOf(measurementType)?.needs
