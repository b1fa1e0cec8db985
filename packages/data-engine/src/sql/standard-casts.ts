import type { Dialect } from './dialect.ts'
import { textLiteral } from './quote.ts'

const date = (text: string) => `CAST(${textLiteral(text)} AS DATE)`

/** The parts of a dialect that DuckDB and PostgreSQL share. */
export const standardCasts = {
  hasFilter: true,
  value: (column) => column,
  characters: (text) => `char_length(${text})`,
  nan: ({ dataType }) => `CAST('nan' AS ${dataType})`,
  number: (digits, { dataType }) => `CAST('${digits}' AS ${dataType})`,
  bound: (text, { dataType }) => `CAST(${textLiteral(text)} AS ${dataType})`,
  asTimestamp: (value) => `CAST(${value} AS TIMESTAMP)`,
  instant: (text) => `CAST(CAST(${textLiteral(text)} AS TIMESTAMPTZ) AS TIMESTAMP)`,
  date,
  timeOfDay: (text) => `CAST(${textLiteral(text)} AS TIME)`,
  startOfDay: (text, next) => `CAST(${date(text)}${next ? ' + 1' : ''} AS TIMESTAMP)`,
  fromZone: (time, zone) => `((${time}) AT TIME ZONE ${textLiteral(zone)}) AT TIME ZONE 'UTC'`,
} satisfies Partial<Dialect>
