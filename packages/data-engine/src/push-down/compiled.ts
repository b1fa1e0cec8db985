import { AssayError } from '@assay/service-kit/errors'
import type { Metric, SqlText } from '../plan.ts'
import { aggregateCall, compileMetrics, type Measurement, type Rows } from '../sql/compile.ts'
import { type Fragment, raw, sql } from '../sql/fragment.ts'
import { planParameters } from '../sql/written.ts'
import { writtenIn } from '../sql/written-in.ts'
import { type Compiling, isRunError, sentenceFor } from './compiling.ts'
import type { Session } from './connection.ts'
import type { Database } from './database.ts'
import { openRelated, type RelatedSessions } from './related.ts'
import { plainSelects, requireNumber, selectOver } from './selects.ts'

export interface Compiled {
  rows: Rows
  measurements: Measurement[]
  filterError: string | null
  /** The tables that SELECTs read in addition to the rows, by the metric's id. */
  named: RelatedSessions['named']
}

/** Rejects if a user's condition is not boolean. */
async function requireCondition({ connection, relation }: Session, condition: Fragment): Promise<void> {
  const type = await connection.typeOf(sql`SELECT ${condition} FROM ${relation} AS asset`)
  if (type.isBoolean) return
  throw new AssayError('invalid', `The expression must be true or false, but is ${await type.name()}.`)
}

async function checked(
  database: Database,
  {
    session,
    rows,
    named,
    metric,
  }: { session: Session; rows: Rows; named: RelatedSessions['named']; metric: Metric | undefined },
  measurement: Measurement,
): Promise<Measurement> {
  if (measurement.kind === 'refused') return measurement
  try {
    if (measurement.kind === 'select') {
      const tables = named.get(measurement.id) ?? []
      await requireNumber(session, selectOver(database, { session, rows, tables }, measurement.select))
      return measurement
    }
    const pattern = metric?.kind === 'rows' && metric.predicate.kind === 'regex' ? metric.predicate : undefined
    const compiling = pattern && session.dialect.compiles?.(pattern.pattern, !pattern.partial)
    if (compiling !== undefined) await session.connection.read(raw(`SELECT ${compiling}`))
    if (measurement.risky) for (const condition of measurement.conditions) await requireCondition(session, condition)
    if (measurement.kind === 'aggregate')
      await session.connection.typeOf(
        sql`SELECT ${aggregateCall(measurement, session.dialect)} FROM ${session.relation} AS asset`,
      )
    return measurement
  } catch (error) {
    if (isRunError(error)) throw error
    const tables = [session, ...(named.get(measurement.id) ?? []).map((table) => table.session)]
    const texts = metric === undefined ? [] : writtenIn(metric).map(({ text }) => text)
    const about = { texts, columns: tables.flatMap(({ columns }) => columns) }
    return { kind: 'refused', id: measurement.id, message: sentenceFor(database, about)(error) }
  }
}

/** The rows and metrics of a plan as SQL, each checked by the server without reading rows. */
export async function compiled(
  given: Compiling,
  session: Session,
  { filter, metrics: asked }: { filter?: SqlText | undefined; metrics: readonly Metric[] },
): Promise<Compiled> {
  const { database, clock, parse } = given
  const parameters = planParameters(new Date(clock.now()).toISOString())
  const written = (text: SqlText) => database.writtenExpression(text, parameters)
  const rows: Rows = { relation: session.relation, filter: null }
  let filterError: string | null = null
  if (filter !== undefined) {
    try {
      const condition = written(filter)
      await requireCondition(session, condition)
      rows.filter = condition
    } catch (error) {
      if (isRunError(error)) throw error
      filterError = sentenceFor(database, { texts: [filter], columns: session.columns })(error)
    }
  }
  const { metrics, problems } = await plainSelects(database, parse, asked)
  const { lookups, problems: missing, named } = await openRelated(given, session, metrics)
  const all = compileMetrics(metrics, session.columns, {
    checked: written,
    checkedSelect: (plain) => database.writtenSelect(plain, parameters),
    dialect: session.dialect,
    related: { lookups, problems: new Map([...missing, ...problems]) },
  })
  const measurements: Measurement[] = []
  for (const [index, measurement] of all.entries())
    measurements.push(await checked(database, { session, rows, named, metric: asked[index] }, measurement))
  return { rows, measurements, filterError, named }
}
