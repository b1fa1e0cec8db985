import { numberIn, type Row, textIn } from '@assay/sqlite'
import type { RecordedEvent } from '../port.ts'
import { positionText } from './positions.ts'

export const eventColumns = 'position, stream, revision, id, type, recorded_at, metadata, data'

/** The event in a row of `eventColumns`. */
export function recordedEvent(row: Row): RecordedEvent {
  return {
    id: textIn(row, 'id'),
    type: textIn(row, 'type'),
    data: JSON.parse(textIn(row, 'data')),
    metadata: JSON.parse(textIn(row, 'metadata')),
    stream: textIn(row, 'stream'),
    revision: numberIn(row, 'revision'),
    position: positionText(numberIn(row, 'position')),
    recordedAt: textIn(row, 'recorded_at'),
  }
}
