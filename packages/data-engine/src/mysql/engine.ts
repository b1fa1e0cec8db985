import type { Clock } from '@assay/service-kit'
import type { Reach, Target } from '../databases/reach.ts'
import { isServerSource, type ServerSource } from '../dataset.ts'
import type { DatabaseEngine, DataEngine, KeptRowFiles } from '../port.ts'
import type { Session } from '../push-down/connection.ts'
import { describedColumns } from '../push-down/describe.ts'
import { openSelect } from '../push-down/open-select.ts'
import { createReachedEngine, type ReachedDatabase } from '../push-down/reached.ts'
import { quoteName } from '../sql/quote.ts'
import { isTemporal, type LogicalType } from '../types/logical-type.ts'
import { changedAt } from './catalog.ts'
import { connect } from './connection.ts'
import { mysqlDialect } from './dialect.ts'
import { discovered, probe } from './discover.ts'
import { missingColumn } from './failures.ts'
import { flavorAt, openTable } from './session.ts'
import { exactText, instantText, isText, jsonValue } from './values.ts'
import { plainSelect, writtenExpression, writtenSelect } from './written.ts'

const columnsWith = (isConverted: (type: LogicalType) => boolean) => (session: Session) =>
  session.columns
    .map(({ name, dataType }) => {
      const type = session.dialect.parseType(dataType)
      const column = quoteName(name)
      return isConverted(type) ? `${session.dialect.value(column, type)} AS ${column}` : column
    })
    .join(', ')

/**
 * Columns as they are stored. Only a 32-bit float, which the server would round, and a zero date are converted to their
 * value.
 */
const allColumns = columnsWith((type) => type.kind === 'float' || isTemporal(type))
/** A converted float would be a double, whose bounds are not rounded. */
const typedColumns = columnsWith(isTemporal)

function databaseAt(target: Target<ServerSource>, table: string | undefined): ReachedDatabase {
  const { source } = target
  return {
    name: 'MariaDB',
    connect: (timeoutMs, signal) => connect(target, { timeoutMs, signal, table }),
    openTable: (connection, locator) => openTable(connection, locator, source),
    openSelect: async (connection, select) =>
      openSelect(connection, select, { dialect: mysqlDialect(await flavorAt(connection)) }),
    missingColumn,
    ...{ allColumns, typedColumns, describedColumns, writtenExpression, plainSelect, writtenSelect },
    ...{ exactText, instantText, isText, jsonValue },
    changedAt: (connection, locator) => changedAt(connection, source.database, locator.table),
    probe: (connection) => probe(connection, source),
    discovered: (connection, sourceId) => discovered(connection, source, sourceId),
  }
}

/** Finds and measures tables in MariaDB and MySQL databases. */
export function createMysqlEngine(options: {
  reach: Reach
  clock: Clock
  rewrite?: KeptRowFiles['rewrite'] | undefined
  touches?: DataEngine['touches'] | undefined
}): DatabaseEngine {
  return createReachedEngine({ ...options, name: 'MariaDB', reads: isServerSource, databaseAt })
}
