import type { Clock } from '@assay/service-kit'
import type { Reach, Target } from '../databases/reach.ts'
import { isServerSource, type ServerSource } from '../dataset.ts'
import type { DatabaseEngine, DataEngine, KeptRowFiles } from '../port.ts'
import { describedColumns } from '../push-down/describe.ts'
import { openSelect } from '../push-down/open-select.ts'
import { createReachedEngine, type ReachedDatabase } from '../push-down/reached.ts'
import { quoteName } from '../sql/quote.ts'
import { connect } from './connection.ts'
import { postgresDialect } from './dialect.ts'
import { discovered, probe } from './discover.ts'
import { missingColumn } from './failures.ts'
import { char, openTable } from './session.ts'
import { exactText, instantText, isText, jsonValue } from './values.ts'
import { plainSelect, writtenExpression, writtenSelect } from './written.ts'

const selects = { dialect: postgresDialect, unnamed: /^\?column\?$/, char }

function databaseAt(target: Target<ServerSource>, table: string | undefined): ReachedDatabase {
  const { source } = target
  return {
    name: 'PostgreSQL',
    connect: (timeoutMs, signal) => connect(target, { timeoutMs, signal, table }),
    openTable: (connection, locator) => openTable(connection, locator, source),
    allColumns: ({ columns }) => columns.map(({ name }) => quoteName(name)).join(', '),
    openSelect: (connection, select) => openSelect(connection, select, selects),
    missingColumn,
    ...{ describedColumns, writtenExpression, plainSelect, writtenSelect, exactText, instantText, isText, jsonValue },
    probe: (connection) => probe(connection, source),
    discovered: (connection, sourceId) => discovered(connection, source, sourceId),
  }
}

/** Finds and measures tables in PostgreSQL databases. */
export function createPostgresEngine(options: {
  reach: Reach
  clock: Clock
  rewrite?: KeptRowFiles['rewrite'] | undefined
  touches?: DataEngine['touches'] | undefined
}): DatabaseEngine {
  return createReachedEngine({ ...options, name: 'PostgreSQL', reads: isServerSource, databaseAt })
}
