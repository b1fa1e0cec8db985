import { isDeepStrictEqual } from 'node:util'
import type { BackfillInput, BackfillRecord, TableMessage } from '@assay/contracts'
import { instantOfText, kindOfType } from '@assay/reliability'
import { isoTime } from '@assay/service-kit'
import { defaultBackfill } from '../policy/definition.ts'
import { columnOf } from './columns.ts'
import { cleared } from './merge-rule.ts'
import { refusal } from './refusal.ts'

/**
 * Merges `rule.backfill`: absent fields stay, an empty text clears. Throws `invalid` for a `from` that is not a time.
 */
export function mergeBackfill(
  before: BackfillRecord | undefined,
  sent: BackfillInput | undefined,
): { backfill?: BackfillRecord } {
  const kept = before === undefined ? {} : { backfill: before }
  if (sent === undefined) return kept
  const known = before ?? defaultBackfill
  const after: BackfillRecord = {
    enabled: sent.enabled ?? known.enabled,
    columnName: cleared(sent.columnName, known.columnName),
    granularity: sent.granularity ?? known.granularity,
    from: fromOf(cleared(sent.from, known.from)),
  }
  // Clients send back the defaults that they have read.
  return isDeepStrictEqual(after, known) ? kept : { backfill: after }
}

/** A date stays a date: it begins at midnight of the table's zone, which may change. */
function fromOf(text: string | null): string | null {
  const at = text === null ? null : instantOfText(text)
  if (at === undefined) throw refusal('rule.backfill.from', `'${text}' is not a date or time of ISO 8601`)
  if (text === null || at === null) return null
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : isoTime(at)
}

/** Throws `invalid` for a column that the table lacks, or that has no periods. */
export function checkBackfill(backfill: BackfillRecord | undefined, table: TableMessage): void {
  if (backfill === undefined || backfill.columnName === null) return
  const at = 'rule.backfill.columnName'
  const { name, dataType } = columnOf(table, backfill.columnName, at)
  const kind = kindOfType(dataType)
  if (kind !== 'date' && kind !== 'time' && kind !== 'text')
    throw refusal(at, `'${name}' is ${dataType}, not a date or a time`)
  if (kind === 'date' && backfill.granularity === 'HOUR')
    throw refusal('rule.backfill.granularity', `must be DAY: '${name}' is ${dataType}, which has no hours`)
}
