import type { Watched } from './series.ts'

const names: Readonly<Record<Watched['metric'], string>> = {
  ROW_COUNT: 'The number of rows',
  COMPLETENESS: 'The percentage of values that are not NULL',
  APPROXIMATE_DISTINCT_VALUES: 'The number of different values',
  MEAN: 'The mean',
  MINIMUM: 'The minimum',
  MAXIMUM: 'The maximum',
  SUM: 'The sum',
  STANDARD_DEVIATION: 'The standard deviation',
  MEDIAN: 'The median',
  LENGTH: 'The mean length',
  FRESHNESS: 'The age of the newest data in seconds',
  VOLUME: 'The size in bytes',
  DATA_TYPE: 'The type',
  SCHEMA: 'The schema',
}

/** `The mean of 'amount' is 12.5.` `shown`: the value. */
export function sentenceOf({ metric, columnName }: Watched, shown: string): string {
  const of = columnName === null ? '' : ` of '${columnName}'`
  return `${names[metric]}${of} is ${shown}.`
}
