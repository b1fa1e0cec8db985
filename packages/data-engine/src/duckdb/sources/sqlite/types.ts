/** The number of values of a column by storage class, and the other facts that determine its type. */
export interface Survey {
  integers: number
  reals: number
  texts: number
  blobs: number
  /** Least and greatest integer. */
  least: bigint | null
  greatest: bigint | null
  /** The number of texts that are ISO 8601 dates, and of texts that are dates with a time. */
  dates: number
  timestamps: number
}

const EXACT = 2n ** 53n

function withinDouble(survey: Survey): boolean {
  return (survey.least === null || survey.least >= -EXACT) && (survey.greatest === null || survey.greatest <= EXACT)
}

/** The engine's type for a declared SQLite type, unless a value contradicts it. Follows SQLite's rules of affinity. */
export function declaredType(declared: string | null): string {
  const type = (declared ?? '').toUpperCase()
  if (type.includes('BOOL')) return 'BOOLEAN'
  if (type.includes('INT')) return 'BIGINT'
  if (/CHAR|CLOB|TEXT/.test(type)) return 'VARCHAR'
  if (type.includes('BLOB')) return 'BLOB'
  if (/REAL|FLOA|DOUB|NUMERIC|DECIMAL/.test(type)) return 'DOUBLE'
  if (/TIMESTAMP|DATETIME/.test(type)) return 'TIMESTAMP'
  if (type.includes('DATE')) return 'DATE'
  return 'VARCHAR'
}

/**
 * The type that keeps every value of a column without loss. In SQLite each value has its own type, so a column with
 * values of several types is text.
 */
export function columnType(declared: string | null, survey: Survey): string {
  const { integers, reals, texts, blobs } = survey
  const present = integers + reals + texts + blobs
  const wish = declaredType(declared)
  if (present === 0) return wish
  if (blobs === present) return 'BLOB'
  if (integers === present) {
    const bits = survey.least !== null && survey.greatest !== null && survey.least >= 0n && survey.greatest <= 1n
    if (wish === 'BOOLEAN' && bits) return 'BOOLEAN'
    if (wish === 'DOUBLE' && withinDouble(survey)) return 'DOUBLE'
    return 'BIGINT'
  }
  if (integers + reals === present && withinDouble(survey)) return 'DOUBLE'
  if (texts === present && wish === 'DATE' && survey.dates === present) return 'DATE'
  if (texts === present && (wish === 'TIMESTAMP' || wish === 'DATE') && survey.timestamps + survey.dates === present)
    return 'TIMESTAMP'
  return 'VARCHAR'
}
