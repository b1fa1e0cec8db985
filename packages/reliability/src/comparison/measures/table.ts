import type { ReconciliationMeasurement } from '@assay/contracts'
import { count, sameCount } from './counts.ts'
import { custom } from './custom.ts'
import type { Measure } from './measure.ts'
import { profile } from './profile.ts'
import { hashes, rows } from './rows.ts'
import { timeliness } from './timeliness.ts'

/** How each kind of item of policies on two tables is measured. */
export const measures: Readonly<Record<ReconciliationMeasurement, Measure>> = {
  EQUALITY: rows,
  COUNT: count,
  PROFILE_EQUALITY: profile,
  HASHED_EQUALITY: hashes,
  TIMELINESS: timeliness,
  CUSTOM: custom,
  ROW_COUNT_EQUALITY: sameCount,
}
