import type { StatementSync } from 'node:sqlite'
import { translated } from './errors.ts'
import type { Row, SqlValue } from './rows.ts'

export interface Statement {
  get(...parameters: readonly SqlValue[]): Row | undefined
  all(...parameters: readonly SqlValue[]): Row[]
  /**
   * Reads row by row, for callers that stop early. Only for a SELECT without integers beyond 2^53. Finish the iteration
   * immediately, because an open one pins the write-ahead log.
   */
  iterate(...parameters: readonly SqlValue[]): Generator<Row>
  /** `lastInsertRowid` is meaningful only after an INSERT. */
  run(...parameters: readonly SqlValue[]): { changes: number; lastInsertRowid: number }
}

/**
 * Converts parameters for the driver. Refuses a Date and NaN, because the driver would bind NULL for them. Passes whole
 * numbers as bigints, because the driver binds every number as REAL, which shows in JSON and in text ('1.0').
 */
function bindable(parameters: readonly SqlValue[]): SqlValue[] {
  return parameters.map((value) => {
    if (typeof value === 'number' && !Number.isNaN(value)) return Number.isSafeInteger(value) ? BigInt(value) : value
    if (typeof value === 'string' || typeof value === 'bigint' || value === null) return value
    if (value instanceof Uint8Array) return value
    throw new TypeError(`A value of kind ${typeof value === 'number' ? 'NaN' : typeof value} cannot be bound.`)
  })
}

function narrowed(row: Row): Row {
  for (const [column, value] of Object.entries(row)) {
    if (typeof value !== 'bigint') continue
    const number = Number(value)
    if (Number.isSafeInteger(number)) row[column] = number
  }
  return row
}

/** A SELECT can safely run twice; a write with RETURNING cannot. */
const repeatable = /^\s*SELECT\b/i

function outOfRange(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE'
}

/**
 * Reads integers as numbers, and as bigints beyond 2^53. The driver reads all integers in the same way, and throws if
 * one is too large for a number. A SELECT is then repeated with bigints. Other statements read bigints from the start.
 */
export function createStatement(raw: StatementSync, sql: string): Statement {
  const optimistic = repeatable.test(sql)
  raw.setReadBigInts(!optimistic)

  function reading<T>(work: () => T, narrow: (rows: T) => T): T {
    try {
      return optimistic ? work() : narrow(work())
    } catch (error) {
      if (!optimistic || !outOfRange(error)) throw translated(error)
    }
    raw.setReadBigInts(true)
    try {
      return narrow(work())
    } catch (error) {
      throw translated(error)
    } finally {
      raw.setReadBigInts(false)
    }
  }

  return {
    get(...parameters) {
      const values = bindable(parameters)
      return reading<Row | undefined>(
        () => raw.get(...values),
        (row) => (row === undefined ? undefined : narrowed(row)),
      )
    },
    all(...parameters) {
      const values = bindable(parameters)
      return reading<Row[]>(
        () => raw.all(...values),
        (rows) => rows.map(narrowed),
      )
    },
    *iterate(...parameters) {
      try {
        yield* raw.iterate(...bindable(parameters))
      } catch (error) {
        throw translated(error)
      }
    },
    run(...parameters) {
      const values = bindable(parameters)
      try {
        const { changes, lastInsertRowid } = raw.run(...values)
        return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) }
      } catch (error) {
        throw translated(error)
      }
    },
  }
}
