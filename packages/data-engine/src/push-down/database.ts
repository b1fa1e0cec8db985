import type { DescribedColumn } from '../described.ts'
import type { RelationLocator } from '../locators.ts'
import type { SqlText } from '../plan.ts'
import type { ColumnInfo } from '../port.ts'
import type { Fragment } from '../sql/fragment.ts'
import type { Parameters } from '../sql/written.ts'
import type { StartedStatements } from '../started-statements.ts'
import type { Cell, Connection, Session } from './connection.ts'

/** The differences between the databases that measure their own tables. */
export interface Database {
  /** For messages. */
  name: string
  /**
   * Opens a session. Aborting `signal` cancels the running statement at the server. `statements`: as in `MeasureCall`.
   */
  connect(timeoutMs: number, signal: AbortSignal, statements?: StartedStatements): Promise<Connection>
  /** The table as it is now. Throws `unprocessable` if it does not exist or cannot be read. */
  openTable(connection: Connection, table: RelationLocator): Promise<Session>
  /** The rows of a checked SELECT. Rejects if the server cannot prepare it. */
  openSelect(connection: Connection, select: string): Promise<Pick<Session, 'columns' | 'relation' | 'dialect'>>
  /**
   * When rows of a table last changed, ISO 8601 UTC; null if the server does not know. Absent if servers of this kind
   * never know.
   */
  changedAt?(connection: Connection, table: RelationLocator): Promise<string | null>
  /** The columns of a table as they are now, with sketches of their first values. */
  describedColumns(session: Session): Promise<DescribedColumn[]>
  /** A user's expression, in brackets that it cannot close. Throws `invalid` if the expression may not run. */
  writtenExpression(given: SqlText, parameters: Parameters): Fragment
  /** A user's SELECT as all parsers read it. Throws `invalid` for forms that only this database has. */
  plainSelect(given: SqlText): SqlText
  /**
   * A plain SELECT as a part of a statement. Throws `invalid` if it may call anything but functions without effects. The
   * caller must have checked which tables it reads.
   */
  writtenSelect(plain: SqlText, parameters: Parameters): Fragment
  /** The column that an error says does not exist, as the server names it. */
  missingColumn(error: unknown): string | undefined
  /** SQL for the select list of a sample: all columns, in their order. */
  allColumns(session: Session): string
  /** Like `allColumns`, but each column keeps its type, for the tables of a query. Default: `allColumns`. */
  typedColumns?(session: Session): string
  /** A value as exact text: numbers without loss, times ISO 8601. `column`: the column that it comes from, if any. */
  exactText(cell: Cell, column: Pick<ColumnInfo, 'dataType'> | null): string | null
  /** Whether a value is text at the server. */
  isText(cell: Cell): boolean
  /** The instant of a date or time, ISO 8601 UTC. */
  instantText(cell: Cell): string | null
  /** A value as JSON. Values that a JSON number cannot represent exactly are text. */
  jsonValue(cell: Cell, column: ColumnInfo): null | boolean | number | string
}
