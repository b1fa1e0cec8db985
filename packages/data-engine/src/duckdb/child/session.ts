import path from 'node:path'
import { AssayError } from '@assay/service-kit/errors'
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { BrokerAccess } from '../../broker-access.ts'
import type { SideName, SideRequest } from '../../compared-source.ts'
import type { DatasetLocator } from '../../dataset.ts'
import { knownLocator } from '../../locators.ts'
import { openGuard, type PathGuard } from '../../path-access.ts'
import type { Metric, SqlText, Window } from '../../plan.ts'
import type { Measured, Progress } from '../../port.ts'
import { type CheckedSql, compileMetrics, type Measurement, type Rows } from '../../sql/compile.ts'
import { sql } from '../../sql/fragment.ts'
import { touchedTogether } from '../../sql/tree/touched.ts'
import { planParameters } from '../../sql/written.ts'
import { type WrittenText, writtenIn } from '../../sql/written-in.ts'
import { duckdbDialect } from '../dialect.ts'
import type { MountContext, Mounted } from '../mount.ts'
import { parsed, type SqlRequest } from '../parse.ts'
import type { AnswerFile, Limits } from '../protocol.ts'
import { createCopies, createRunObjects, describeQuery, mountDataset, noCrawl, type Stores } from '../sources/index.ts'
import { datasetsOf } from '../stores-in.ts'
import { checkCondition, checkGenerated, checkMeasurement, makeShape } from './check.ts'
import { connect, lockDown } from './database.ts'
import { engineFailure, engineMessage } from './failure.ts'
import { mountRelated, type Opened } from './related.ts'
import { withPlace } from './sentences.ts'
import { openWindow, type WindowRows } from './window.ts'

/** The context of a run in a child. */
export interface RunContext {
  instance: DuckDBInstance
  limits: Limits
  /** Absolute path for temporary files of the run; the parent removes it. */
  tempFolder: string
  guard: PathGuard
  brokers: BrokerAccess
  stores: Stores
  signal: AbortSignal
  progress(progress: Progress): void
  /** Asks the engine that reads a side of a comparison. */
  ask?(side: SideName, request: SideRequest): Promise<AnswerFile>
  /** Start of the session, in epoch milliseconds and by the monotonic clock. */
  startedAt: number
  startedTick: number
  /** Registers the connection that a cancel must interrupt. */
  onConnection(connection: DuckDBConnection): void
}

/** A dataset that is mounted and locked. */
export interface Session {
  connection: DuckDBConnection
  mounted: Mounted
  related: Opened
  window: WindowRows
  /** An empty table with the dataset's columns. */
  shape: string
  /**
   * Rejects with `unprocessable` if files have changed since the session was opened. A file may have grown if the
   * window is on rows. Returns whether one has grown.
   */
  assertUnchanged(): Promise<boolean>
  /** Folders that messages must not contain. */
  hidden: string[]
}

/** A dataset to open, with its filter and window. */
interface Opening {
  locator: DatasetLocator
  metrics?: readonly Metric[]
  window?: Window | undefined
  /** See `MountContext`. */
  isLook?: true
  fileDates?: MountContext['fileDates'] | undefined
  /** Whether the file is one of Assay's own, which a tenant may not name. */
  isOwn?: boolean
}

/** Mounts the dataset, then locks down the instance. `writable`: the only writable folder besides the temp folder. */
export async function openSession(
  context: RunContext,
  locator: DatasetLocator,
  writable: string | null,
  options: Omit<Opening, 'locator'> = {},
): Promise<Session> {
  const { open } = await openLocked(context, [{ locator, ...options }], writable)
  return open(0)
}

/**
 * Mounts several datasets on one connection, then locks down the instance. `open` opens each of them, by index.
 * `onProblem` maps the failure of one dataset.
 */
export async function openLocked(
  context: RunContext,
  openings: readonly Opening[],
  writable: string | null,
  onProblem: (index: number, error: unknown) => unknown = (_, error) => error,
): Promise<{ connection: DuckDBConnection; open: (index: number) => Promise<Session> }> {
  const connection = await connect(context.instance, context.limits, context.tempFolder)
  context.onConnection(connection)
  const copies = createCopies(context.tempFolder, context.limits.maxTempMb)
  const mounting: MountContext = {
    connection,
    tempFolder: context.tempFolder,
    startedAt: context.startedAt,
    copies,
    guard: context.guard,
    brokers: context.brokers,
    stores: context.stores,
    objects: createRunObjects(connection, {
      copies,
      signal: context.signal,
      isLook: openings.some(({ isLook }) => isLook === true),
    }),
    crawl: noCrawl,
    signal: context.signal,
    onProgress: (fraction) => context.progress({ stage: 'READING', fraction }),
  }
  const all: { mounted: Mounted; related: Awaited<ReturnType<typeof mountRelated>> }[] = []
  for (const [index, { locator, window, isLook, isOwn, fileDates, metrics = [] }] of openings.entries()) {
    try {
      const within: MountContext = {
        ...mounting,
        ...(window?.kind === 'files' ? { filesWindow: window } : {}),
        ...(window?.kind === 'offsets' ? { topicWindow: window } : {}),
        ...(isLook ? { isLook } : {}),
        ...(fileDates === undefined ? {} : { fileDates }),
        ...(isOwn ? { guard: openGuard } : {}),
      }
      all.push({ mounted: await mountDataset(within, locator), related: await mountRelated(mounting, metrics) })
    } catch (error) {
      throw onProblem(index, error)
    }
  }
  // The order of rows does not matter, and preserving it would buffer rows in memory.
  if (writable !== null) await connection.run('SET preserve_insertion_order = false')
  const own = writable === null ? [context.tempFolder] : [context.tempFolder, writable]
  const directories = all.flatMap(({ mounted, related }) => [
    ...mounted.allowedDirectories,
    ...related.allowedDirectories,
  ])
  const paths = all.flatMap(({ mounted, related }) => [...(mounted.allowedPaths ?? []), ...related.allowedPaths])
  // Copies and the engine's spilled data share the temporary space.
  if (copies.leftMb() < context.limits.maxTempMb)
    await connection.run(`SET max_temp_directory_size = '${Math.max(1, copies.leftMb())}MB'`)
  await lockDown(connection, [...directories, ...own], paths)
  const open = async (index: number): Promise<Session> => {
    const opening = openings[index]
    const made = all[index]
    if (opening === undefined || made === undefined) throw new AssayError('internal', 'No such dataset was mounted.')
    const { locator, metrics = [], window } = opening
    const { mounted, related } = made
    const others = metrics.flatMap(datasetsOf).flatMap(foldersOf)
    const hidden = hiddenFolders(context.tempFolder, [locator], [...own, ...others])
    const assertUnchanged = async () => {
      // Appended rows may be outside of the window, so growth is allowed.
      const hasGrown = (await mounted.assertUnchanged?.(window !== undefined && window.kind !== 'files')) ?? false
      await related.assertUnchanged()
      return hasGrown
    }
    return orChanged(context, { assertUnchanged }, async () => {
      await describeQuery(connection, mounted)
      const shape = await makeShape(connection, mounted.relation, index)
      const opened = await related.open(connection)
      const rows = await openWindow(connection, mounted, window)
      return { connection, mounted, related: opened, window: rows, shape, assertUnchanged, hidden }
    })
  }
  return { connection, open }
}

/**
 * Runs `work`. If it fails and files have changed, rejects with that reason instead, because a file that is being
 * written looks damaged.
 */
export async function orChanged<T>(
  { signal }: Pick<RunContext, 'signal'>,
  { assertUnchanged }: Pick<Session, 'assertUnchanged'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (engineFailure(error).code !== 'too-large' && !signal.aborted) await assertUnchanged()
    throw error
  }
}

function foldersOf(dataset: DatasetLocator): string[] {
  const locator = knownLocator(dataset)
  if (locator === undefined) return []
  if (locator.kind === 'query') return locator.tables.flatMap((one) => foldersOf(one.dataset))
  if (locator.kind === 'files') return locator.store === undefined ? [locator.root] : []
  if (locator.kind === 'relation' || locator.kind === 'topic') return []
  return [path.dirname(locator.path), ...(locator.root === undefined ? [] : [locator.root])]
}

/** Folders that messages must not contain: folders of runs and of the source. Longest first. */
export function hiddenFolders(
  tempFolder: string,
  locators: readonly DatasetLocator[],
  more: readonly string[] = [],
): string[] {
  const source = locators.flatMap(foldersOf)
  const folders = [tempFolder, path.dirname(tempFolder), ...source, ...more]
  return [...new Set(folders)].sort((one, other) => other.length - one.length)
}

/** The filter and the metrics of a plan as SQL. */
export interface Compiled {
  rows: Rows
  measurements: Measurement[]
  /** The error message if the filter cannot be prepared. `rows` then has no filter. */
  filterError: string | null
  touched: Measured['touched']
}

/**
 * Compiles metrics to SQL and checks each one separately. A metric that cannot be prepared is `refused` and never
 * becomes part of a shared statement.
 */
export async function compileChecked(
  session: Session,
  context: RunContext,
  filter: SqlText | undefined,
  metrics: readonly Metric[],
): Promise<Compiled> {
  const { mounted, hidden } = session
  const { checked, touched, withPosition } = await checkWritten(session, context, filter, metrics)
  const { condition: within } = session.window
  const rows: Rows = { relation: mounted.relation, filter: within }
  let filterError: string | null = null
  if (filter) {
    try {
      const condition = checked(filter)
      await checkCondition(session, condition)
      rows.filter = within === null ? condition : sql`${within} AND ${condition}`
    } catch (error) {
      filterError = withPosition(null, engineMessage(error, hidden))
    }
  }
  const all = compileMetrics(metrics, mounted.columns, {
    checked,
    dialect: duckdbDialect,
    related: session.related,
  })
  const good = await checkGenerated(session, all)
  const measurements: Measurement[] = []
  for (const measurement of all) {
    const one = good.has(measurement) ? measurement : await checkedMeasurement(session, rows, measurement)
    measurements.push(one.kind === 'refused' ? { ...one, message: withPosition(one.id, one.message) } : one)
  }
  return { rows, measurements, filterError, touched }
}

/** A SELECT reads the plan's rows and the tables that the metric declares. */
function tablesOf(metric: Metric): string[] {
  return metric.kind === 'select' ? ['asset', ...(metric.tables ?? []).map(({ name }) => name)] : []
}

/** Checks users' SQL. Returns the form that may run, and the columns and tables that it reads. */
async function checkWritten(
  { connection, mounted, related }: Session,
  { startedAt }: RunContext,
  filter: SqlText | undefined,
  metrics: readonly Metric[],
): Promise<{
  checked: CheckedSql
  touched: Compiled['touched']
  /**
   * Adds the position of the missing name, and a similar one, to a message about a metric; `null` stands for the plan's
   * filter.
   */
  withPosition: (metric: number | null, message: string) => string
}> {
  const ofFilter: WrittenText[] = filter === undefined ? [] : [{ text: filter, form: 'expression' }]
  const texts = [
    { id: null, tables: [], written: ofFilter },
    ...metrics.map((metric) => ({ id: metric.id, tables: tablesOf(metric), written: writtenIn(metric) })),
  ]
  const requests = texts.flatMap(({ tables, written }) =>
    written.map(({ text: given, form }): SqlRequest => ({ given, reach: { form, tables } })),
  )
  const columns = [...mounted.columns.map(({ name }) => name), ...related.columns]
  const outcomes = await parsed(connection, requests, planParameters(new Date(startedAt).toISOString()))
  const found = new Map(requests.map(({ given }, index) => [given, outcomes[index]]))
  const touchedBy = ({ text }: WrittenText) => {
    const outcome = found.get(text)
    return outcome === undefined || 'refused' in outcome ? undefined : outcome.touched
  }
  return {
    checked: (given) => {
      const outcome = found.get(given)
      if (outcome === undefined) throw new AssayError('internal', 'SQL that was not checked must not run.')
      if ('refused' in outcome) throw outcome.refused
      return outcome.fragment
    },
    withPosition: (metric, message) => {
      const outcomes = (texts.find(({ id }) => id === metric)?.written ?? []).map(({ text }) => found.get(text))
      const positionOf = (name: string) =>
        outcomes
          .map((one) => (one !== undefined && 'positionOf' in one ? one.positionOf(name) : ''))
          .find((position) => position !== '') ?? ''
      return withPlace(message, { columns, positionOf })
    },
    touched: texts.flatMap(({ id, written }) => {
      const all = written.length === 0 ? undefined : touchedTogether(written.map(touchedBy))
      return all === undefined ? [] : [{ metric: id, touched: all }]
    }),
  }
}

async function checkedMeasurement(session: Session, rows: Rows, measurement: Measurement): Promise<Measurement> {
  if (measurement.kind === 'refused') return measurement
  try {
    await checkMeasurement(session, rows, measurement)
    return measurement
  } catch (error) {
    if (engineFailure(error).code === 'too-large') throw error
    return { kind: 'refused', id: measurement.id, message: engineMessage(error, session.hidden) }
  }
}
