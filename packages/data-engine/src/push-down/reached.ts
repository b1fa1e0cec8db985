import type { Clock } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { Reach, Target } from '../databases/reach.ts'
import type { DatabaseSource, DatasetLocator, Discovered, SkippedFiles, Source } from '../dataset.ts'
import { discoveries } from '../discoveries.ts'
import type { DatabaseEngine, EngineCall, MeasuringEngine } from '../port.ts'
import { withSides, withTable } from './compared-side.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { relationsOf, tablesText } from './dataset.ts'
import { createPushDownEngine, type Tools } from './engine.ts'
import { parseIn } from './selects.ts'

/** The database of a source. */
export interface ReachedDatabase extends Database {
  /** The number of readable tables, and the number of tables that the user may not read. Throws `unprocessable`. */
  probe(connection: Connection): Promise<{ tables: number; skipped: SkippedFiles }>
  /** Emits everything that the database contains; reads no rows. `sourceId`: for the locators. */
  discovered(connection: Connection, sourceId: number | undefined): AsyncIterable<Discovered>
}

const catalogMs = 120_000

/** The engine of one kind of database. For each call, it finds the database and measures there. */
export function createReachedEngine<S extends DatabaseSource>({
  name,
  reach,
  clock,
  rewrite,
  touches,
  reads,
  databaseAt: databaseOf,
}: {
  name: string
  reach: Reach
  clock: Clock
  /** Whether a source is one that this engine reads. */
  reads: (source: Source) => source is S
  /** `table`: its name for messages. */
  databaseAt: (target: Target<S>, table: string | undefined) => ReachedDatabase
} & Tools): DatabaseEngine {
  const open = new Set<Promise<unknown>>()
  const stop = new AbortController()

  async function tracked<T>(work: () => Promise<T>): Promise<T> {
    const working = work()
    open.add(working)
    try {
      return await working
    } finally {
      open.delete(working)
    }
  }

  function sourceOf(source: Source): S {
    if (reads(source)) return source
    throw new AssayError('not-implemented', `The ${name} engine reads its own sources only.`)
  }

  const databaseAt = ({ source, addresses, password }: Target, table: string | undefined) =>
    databaseOf({ source: sourceOf(source), addresses, password }, table)

  /** Calls an engine of the database that contains the table. */
  const atTable = <T, C extends EngineCall>(
    dataset: DatasetLocator,
    call: C,
    work: (engine: MeasuringEngine, call: C) => Promise<T>,
  ): Promise<T> =>
    tracked(async () => {
      const tables = relationsOf({ name }, dataset)
      const stoppable = { ...call, signal: AbortSignal.any([call.signal, stop.signal]) }
      return reach(tables[0], stoppable, (target) =>
        work(createPushDownEngine(databaseAt(target, tablesText(tables)), clock, { rewrite, touches }), stoppable),
      )
    })

  const inCatalog = <T>(
    source: Source,
    call: EngineCall,
    work: (database: ReachedDatabase, connection: Connection) => Promise<T>,
  ): Promise<T> =>
    tracked(() => {
      const signal = AbortSignal.any([call.signal, stop.signal])
      return reach(sourceOf(source), { ...call, signal }, async (target) => {
        const database = databaseAt(target, undefined)
        const connection = await database.connect(catalogMs, signal)
        try {
          return await work(database, connection)
        } finally {
          await connection.close()
        }
      })
    })

  return {
    probe: (source, call) =>
      inCatalog(source, { ...call, purpose: 'check' }, (database, connection) => database.probe(connection)),
    discover: (source, call) =>
      discoveries((ended, emit) =>
        inCatalog(source, { ...call, signal: AbortSignal.any([call.signal, ended]) }, async (database, connection) => {
          let proceed = () => {}
          ended.addEventListener('abort', () => proceed(), { once: true })
          for await (const found of database.discovered(connection, call.sourceId)) {
            if (ended.aborted) return
            await new Promise<void>((taken) => {
              proceed = taken
              emit(found, taken)
            })
          }
        }),
      ),
    prepare: (request, call) =>
      atTable(request.dataset, { purpose: 'check', ...call }, (engine, own) => engine.prepare(request, own)),
    measure: (plan, call) => atTable(plan.dataset, call, (engine, own) => engine.measure(plan, own)),
    measurePeriods: (plan, call) => atTable(plan.dataset, call, (engine, own) => engine.measurePeriods(plan, own)),
    describe: (plan, call) => atTable(plan.dataset, call, (engine, own) => engine.describe(plan, own)),
    lastChange: (plan, call) => atTable(plan.dataset, call, (engine, own) => engine.lastChange(plan, own)),
    sample: (request, call) =>
      atTable(request.dataset, { purpose: 'check', ...call }, (engine, own) => engine.sample(request, own)),
    withTable: (table, call, work) =>
      tracked(async () => {
        const tables = relationsOf({ name }, table.dataset)
        const stoppable = { ...call, signal: AbortSignal.any([call.signal, stop.signal]) }
        return reach(tables[0], stoppable, (target) =>
          withTable(
            { database: databaseAt(target, tablesText(tables)), clock, parse: parseIn(touches, call) },
            table,
            stoppable,
            work,
          ),
        )
      }),
    withSides: (tables, call, work) =>
      tracked(async () => {
        const [first, more] = Object.values(tables).map(({ dataset }) => relationsOf({ name }, dataset))
        if (first === undefined) return work({})
        const named = more === undefined ? tablesText(first) : undefined
        const stoppable = { ...call, signal: AbortSignal.any([call.signal, stop.signal]) }
        return reach(first[0], stoppable, (target) =>
          withSides(
            { database: databaseAt(target, named), clock, parse: parseIn(touches, call) },
            tables,
            stoppable,
            work,
          ),
        )
      }),
    async close() {
      stop.abort(new AssayError('unavailable', 'The data engine is shutting down. Try again later.'))
      await Promise.allSettled(open)
    },
  }
}
