import type { Clock } from '@assay/service-kit'
import type { Reach, Target } from '../databases/reach.ts'
import { isTrinoSource, type TrinoSource } from '../dataset.ts'
import type { DatabaseEngine, DataEngine, KeptRowFiles } from '../port.ts'
import type { Session } from '../push-down/connection.ts'
import { describedColumns } from '../push-down/describe.ts'
import { openSelect } from '../push-down/open-select.ts'
import { createReachedEngine, type ReachedDatabase } from '../push-down/reached.ts'
import { quoteName } from '../sql/quote.ts'
import { connect } from './connection.ts'
import { trinoDialect } from './dialect.ts'
import { discovered, probe } from './discover.ts'
import { missingColumn } from './failures.ts'
import { char, openTable } from './session.ts'
import { inUtc } from './value-text.ts'
import { exactText, instantText, isText, jsonValue } from './values.ts'
import { plainSelect, writtenExpression, writtenSelect } from './written.ts'

/** Columns as they are stored. Times with a zone are converted to UTC. */
const allColumns = ({ columns, dialect }: Session) =>
  columns
    .map(({ name, dataType }) => {
      const column = quoteName(name)
      const value = inUtc(column, dialect.parseType(dataType))
      return value === column ? column : `${value} AS ${column}`
    })
    .join(', ')

const selects = { dialect: trinoDialect, unnamed: /^_col\d+$/, char }

function databaseAt(target: Target<TrinoSource>, table: string | undefined, clock: Clock): ReachedDatabase {
  const { source } = target
  return {
    name: 'Trino',
    connect: (timeoutMs, signal, statements) => connect(target, { timeoutMs, signal, table, statements }),
    openTable: (connection, locator) => openTable(connection, locator, source),
    describedColumns: (session) => describedColumns(session, (text) => `lower(to_hex(md5(to_utf8(${text}))))`),
    openSelect: (connection, select) => openSelect(connection, select, selects),
    missingColumn,
    ...{ allColumns, writtenExpression, plainSelect, writtenSelect },
    ...{ exactText, instantText, isText, jsonValue },
    probe: (connection) => probe(connection, source),
    discovered: (connection, sourceId) => discovered(connection, source, sourceId, clock),
  }
}

/** Finds and measures tables in the catalogs of Trino clusters. */
export function createTrinoEngine(options: {
  reach: Reach
  clock: Clock
  rewrite?: KeptRowFiles['rewrite'] | undefined
  touches?: DataEngine['touches'] | undefined
}): DatabaseEngine {
  const at = (target: Target<TrinoSource>, table: string | undefined) => databaseAt(target, table, options.clock)
  return createReachedEngine({ ...options, name: 'Trino', reads: isTrinoSource, databaseAt: at })
}
