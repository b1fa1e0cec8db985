import {
  type ComparedSide,
  type ComparedTable,
  type DataEngine,
  fileDateColumn,
  type KeptAgreeing,
  type KeptDifferences,
  type KeptRows,
  type Measured,
  type Progress,
} from '@assay/data-engine'
import {
  type ComparisonRequest,
  type DescribeRequest,
  type EachSide,
  type Found,
  kindOf,
  type LastChangeRequest,
  type PeriodsRequest,
  type ProfileRequest,
  type ProfileState,
  type RunRequest,
  type SideRequest,
} from '@assay/reliability'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import type { SideName, SideResult } from '../execution/run.ts'
import { bySide } from '../execution/sides.ts'
import type { KnownRun } from '../versions/versions.ts'
import { comparePlan, measurePlan } from './measure-plan.ts'
import { type MeasureOptions, measureRun } from './measure-run.ts'
import { assertSameRows, namingSide } from './of-side.ts'
import type { OpenSide } from './open-sides.ts'
import { periodsInParts } from './periods-in-parts.ts'
import type { MeasureFiles, ReadFiles } from './reused-files.ts'

/** The rows that a run stores, and their origin. */
export type Kept =
  | { kind: 'ROWS'; bad: KeptRows | null; good: KeptRows | null; columns: Measured['columns'] }
  | {
      kind: 'COMPARED'
      differing: KeptDifferences | null
      agreeing: KeptAgreeing | null
      itemIds: readonly number[]
    }

/** The engine's report on a side. `reached`: the marker position after an INCREMENTAL window. */
export type OfSide = Omit<SideResult, 'mark'> & { reached: string | null }

export interface Answer {
  found: Found
  /** The files that the first measurement read. Absent if the dataset is not a set of files. */
  read?: ReadFiles
  sides: OfSide[]
  kept: Kept | null
  engineMs: number
}

/** All answers of the engine to a run. */
export interface Asked {
  found: Found[]
  read: ReadFiles | undefined
  sides: EachSide<OfSide>
  kept: Kept | null
}

interface Asking {
  engine: DataEngine
  run: KnownRun
  sides: EachSide<OpenSide>
  /** `limits.timeoutMs` applies to the whole run. */
  options: MeasureOptions
  /** Known states of all rows of a side. The side is then not read. */
  profiled(side: OpenSide): Promise<ProfileState | undefined>
  /** Measures the first side, if the run begins with this request alone. Absent: all rows are read. */
  measureFiles: MeasureFiles | undefined
  /** The next requests; none: the run knows enough. */
  step: (found: readonly Found[]) => readonly RunRequest[]
  /** What the run read before the wait between two sides. */
  before?: ReadBefore | undefined
}

/** What a run read of its left side before it waited. */
export interface ReadBefore {
  /** The answers to measurements, by the index of the request in the run. */
  answers: ReadonlyMap<number, Answer>
  /** The rows to compare. Absent if the run compares none. */
  taken?: { table: ComparedTable; side: OfSide; engineMs: number }
}

/**
 * Sends the requests of the run's kind to the engine, one at a time, until the kind knows enough. The first measurement
 * of the first side stores rows; if a comparison stores rows, the run has those instead. Errors: those
 * of the engine; `timeout` if all requests together exceed the run's limit.
 */
export async function askEngine(asking: Asking): Promise<Asked> {
  const { engine, run, sides, options, profiled, measureFiles, step, before: known } = asking
  const answers: Answer[] = []
  const { timeoutMs } = options.limits
  let spentMs = 0
  const requestsOf = () => step(answers.map(({ found }) => found))
  for (let requests = requestsOf(); requests.length > 0; requests = requestsOf()) {
    const [before, all] = [answers.length, answers.length + requests.length]
    for (const [index, request] of requests.entries()) {
      const left = { ...options.limits, timeoutMs: Math.max(1, timeoutMs - spentMs) }
      const onProgress = ({ stage, fraction }: Progress) =>
        options.onProgress({ stage, fraction: fraction === null ? null : (before + index + fraction) / all })
      try {
        const isFirst = answers.length === 0
        const ofFiles = all === 1 ? measureFiles : undefined
        const own = { ...options, limits: left, onProgress }
        const asks = { engine, run, sides, profiled, measureFiles: ofFiles, options: own, before: known }
        // A comparison reads both sides concurrently.
        const side = request.kind === 'COMPARE' ? 'ONE' : request.side
        const answer = known?.answers.get(answers.length) ?? (await namingSide(side, ask(asks, request, isFirst)))
        answers.push(answer)
        assertSameRows(answers.flatMap(({ sides: reports }) => reports))
        spentMs += answer.engineMs
      } catch (error) {
        throw spentMs > 0 && isAssayError(error, 'timeout') ? overTime(timeoutMs, error) : error
      }
    }
  }
  return {
    found: answers.map(({ found }) => found),
    read: answers[0]?.read,
    sides: bySide(sides, ({ given: { side } }) => ofSide(side, answers)),
    kept: (answers.find(({ kept }) => kept?.kind === 'COMPARED') ?? answers[0])?.kept ?? null,
  }
}

function overTime(timeoutMs: number, cause: unknown): AssayError {
  const sentence = `The run did not end within ${timeoutMs / 1000} seconds. Raise the limit or read fewer rows.`
  return new AssayError('timeout', sentence, { cause })
}

/** Merges the answers for a side. Rows, marker position and warnings come from the first answer that read rows. */
function ofSide(side: SideName, answers: readonly Answer[]): OfSide {
  const reports = answers.flatMap(({ sides }) => sides.filter((one) => one.side === side))
  const first = reports.find(({ rowsScanned }) => rowsScanned !== null) ?? reports[0]
  if (first === undefined) throw new AssayError('internal', `The plan has no request for side ${side}.`)
  const engineMs = reports.reduce((sum, one) => sum + one.engineMs, 0)
  const timeColumns = reports.flatMap(({ timeColumns: own = [] }) => own)
  return {
    ...first,
    engineMs,
    touched: reports.flatMap(({ touched }) => touched),
    ...(timeColumns.length === 0 ? {} : { timeColumns }),
  }
}

export type Asks = Omit<Asking, 'step'>

/** The engine's answer to one request. */
export function ask(asks: Asks, request: RunRequest, isFirst: boolean): Promise<Answer> {
  switch (request.kind) {
    case 'MEASURE':
      return measured(asks, request, isFirst)
    case 'COMPARE':
      return compared(asks, request)
    case 'DESCRIBE':
      return described(asks, request)
    case 'PROFILE':
      return profileOf(asks, request)
    case 'LAST_CHANGE':
      return changed(asks, request)
    case 'PERIODS':
      return byPeriod(asks, request)
    default:
      return request satisfies never
  }
}

/** The side of a run with this name. */
export function openSide({ sides }: Pick<Asks, 'sides'>, side: SideName): OpenSide {
  const open = sides.find(({ given }) => given.side === side)
  if (open === undefined)
    throw new AssayError('internal', `The plan has a request for side ${side}, which the policy does not have.`)
  return open
}

async function measured(asks: Asks, request: SideRequest, isFirst: boolean): Promise<Answer> {
  const { engine, run, sides, options } = asks
  const { side } = request
  const plan = measurePlan(run, request, openSide(asks, side))
  const keeps = isFirst && side === sides[0].given.side && kindOf(run.policy.type).storesRows === 'FAILED'
  const rows = keeps ? plan.rows : { ...plan.rows, good: null, bad: null }
  const asked = { plan: { ...plan, rows }, problems: request.problems }
  const measure = (keeps ? asks.measureFiles : undefined) ?? readingAll(engine)
  const { measured: answer, problems, read } = await measure(asked, options)
  const { rowsScanned, metrics, reached, warnings, elapsedMs: engineMs, bad, good, columns } = answer
  const touched = answer.touched.map(({ metric: itemId, touched: parts }) => ({ itemId, ...parts }))
  return {
    found: { kind: 'MEASURE', side, results: [...metrics, ...request.known], problems, rowsScanned },
    sides: [{ side, rowsScanned, reached, warnings, engineMs, touched, ...filesOf(answer) }],
    kept: keeps ? { kind: 'ROWS', bad, good, columns } : null,
    engineMs,
    ...(read === undefined ? {} : { read }),
  }
}

/** The number of files, if the table is in files. */
const filesOf = ({ partitions }: Pick<Measured, 'partitions'>) =>
  partitions === undefined ? {} : { files: partitions.total }

const readingAll =
  (engine: DataEngine) =>
  async (...given: Parameters<MeasureFiles>) => ({ read: undefined, ...(await measureRun(engine, ...given)) })

async function described(asks: Asks, { side }: DescribeRequest): Promise<Answer> {
  const { engine, options } = asks
  const { dataset } = openSide(asks, side)
  const { columns, warnings, elapsedMs: engineMs } = await engine.describe({ dataset }, options)
  return {
    found: { kind: 'DESCRIBE', side, columns },
    sides: [{ side, rowsScanned: null, reached: null, warnings, engineMs, touched: [] }],
    kept: null,
    engineMs,
  }
}

/** The known states of a side, if they cover all requested columns and rows. Then nothing is read. */
async function alreadyProfiled(asks: Asks, { side, columns, filter }: ProfileRequest): Promise<Answer | undefined> {
  const open = openSide(asks, side)
  if (filter !== undefined || open.window !== undefined) return undefined
  const profiled = await asks.profiled(open)
  const states = profiled?.columns.filter(({ name }) => columns.includes(name)) ?? []
  if (profiled === undefined || states.length < columns.length) return undefined
  const { rows } = profiled
  const warnings = { total: 0, first: [] }
  return {
    found: { kind: 'PROFILE', side, state: { rows, columns: states } },
    sides: [{ side, rowsScanned: rows, reached: null, warnings, engineMs: 0, touched: [] }],
    kept: null,
    engineMs: 0,
  }
}

/** Columns that the source no longer has are left out. */
async function profileOf(asks: Asks, request: ProfileRequest): Promise<Answer> {
  const known = await alreadyProfiled(asks, request)
  if (known !== undefined) return known
  const { side, columns, filter } = request
  const { engine, options } = asks
  const { dataset, window } = openSide(asks, side)
  const plan = { dataset, ...(window ? { window } : {}), ...(filter ? { filter } : {}) }
  const found = await engine.profile({ ...plan, columns }, options).catch(async (error: unknown) => {
    if (!isAssayError(error, 'invalid')) throw error
    const described = await engine.describe({ dataset }, options)
    const known = columns.filter((name) => described.columns.some((column) => column.name === name))
    if (known.length === columns.length) throw error
    if (known.length > 0) return engine.profile({ ...plan, columns: known }, options)
    // A profile has at least one column, so that its rows can be counted.
    const any = described.columns.slice(0, 1).map(({ name }) => name)
    return { ...(await engine.profile({ ...plan, columns: any }, options)), columns: [], touched: undefined }
  })
  const { rows, columns: states, reached, warnings, elapsedMs: engineMs, touched } = found
  return {
    found: { kind: 'PROFILE', side, state: { rows, columns: states } },
    sides: [
      {
        ...{ side, rowsScanned: rows, reached, warnings, engineMs, ...filesOf(found) },
        touched: touched === undefined ? [] : [{ itemId: null, ...touched }],
      },
    ],
    kept: null,
    engineMs,
  }
}

async function changed(asks: Asks, { side }: LastChangeRequest): Promise<Answer> {
  const { engine, options } = asks
  const { dataset } = openSide(asks, side)
  const change = await engine.lastChange({ dataset }, options)
  const warnings = { total: 0, first: [] }
  return {
    found: { kind: 'LAST_CHANGE', side, change },
    sides: [{ side, rowsScanned: null, reached: null, warnings, engineMs: change.elapsedMs, touched: [] }],
    kept: null,
    engineMs: change.elapsedMs,
  }
}

async function byPeriod(asks: Asks, { kind, side, ...plan }: PeriodsRequest): Promise<Answer> {
  const { engine, options } = asks
  const { dataset } = openSide(asks, side)
  const {
    touched: read,
    warnings,
    elapsedMs: engineMs,
    ...periods
  } = await periodsInParts(engine, { dataset, ...plan }, options)
  const touched = read.map(({ metric: itemId, touched: parts }) => ({ itemId, ...parts }))
  const timeColumns = plan.time.flatMap(({ column }) => (column === fileDateColumn ? [] : [column]))
  return {
    found: { kind, side, ...periods },
    sides: [{ side, rowsScanned: null, reached: null, warnings, engineMs, touched, timeColumns }],
    kept: null,
    engineMs,
  }
}

const differences = ['CHANGED', 'ONLY_LEFT', 'ONLY_RIGHT'] as const

async function compared(asks: Asks, request: ComparisonRequest): Promise<Answer> {
  const { engine, run, options, before: { taken } = {} } = asks
  const plan = comparePlan(run, request, [openSide(asks, 'LEFT'), openSide(asks, 'RIGHT')], taken?.table)
  const { differing, agreeing, ...answer } = await engine.compare(plan, options)
  const firsts = differences.flatMap((one) => differing?.preview.find(({ difference }) => difference === one) ?? [])
  // One engine run reads both sides, so its time counts once.
  const of = (side: SideName, { rows: rowsScanned, reached, warnings, touched }: ComparedSide, engineMs: number) => ({
    ...{ side, rowsScanned, reached, warnings, engineMs },
    touched: touched === null ? [] : [{ itemId: null, ...touched }],
  })
  return {
    found: { kind: 'COMPARE', compared: { ...answer, firsts } },
    sides: [
      taken === undefined
        ? of('LEFT', answer.left, answer.elapsedMs)
        : { ...taken.side, engineMs: taken.engineMs + answer.elapsedMs },
      of('RIGHT', answer.right, 0),
    ],
    kept: (differing ?? agreeing) && { kind: 'COMPARED', differing, agreeing, itemIds: request.rowsOf },
    engineMs: (taken?.engineMs ?? 0) + answer.elapsedMs,
  }
}
