import { writeFile } from 'node:fs/promises'
import {
  type ColumnState,
  type DataEngine,
  type DatasetProfile,
  type KeptRowFiles,
  type Measured,
  type MeasurePlan,
  noContent,
  type Progress,
  type RowSink,
  type StartedStatements,
} from '@assay/data-engine'
import { AssayError } from '@assay/service-kit/errors'

/** A data engine with the behaviour that a spec sets. `running`: the number of open runs and profiles. */
export interface FakeEngine extends DataEngine, KeptRowFiles {
  measured: MeasurePlan[]
  /** Those of the last run. */
  statements(): StartedStatements | undefined
  /** Columns of the requested profiles; `undefined` means all. */
  profiled: (readonly string[] | undefined)[]
  running(): number
  /** Sets the behaviour of the next runs. By default they end immediately. */
  behave(how: Behaviour): void
}

export type Behaviour =
  | { kind: 'end' }
  /** Until its signal aborts. */
  | { kind: 'hang' }
  /** Until `until` resolves, even if the signal aborts. */
  | { kind: 'wait'; until: Promise<void> }
  | { kind: 'fail'; error: AssayError }

const columns = [
  { name: 'order_id', dataType: 'BIGINT' },
  { name: 'amount', dataType: 'DOUBLE' },
]

/** 100 rows of which the rows 1, 2 and 3 break every row item. */
async function measuredOf(plan: MeasurePlan, rows: RowSink): Promise<Measured> {
  const ids = plan.metrics.map(({ id }) => id)
  const preview = [1, 2, 3].map((order) => ({ values: { order_id: order, amount: null }, ruleItemIds: ids }))
  let bad: Measured['bad'] = null
  if (plan.rows.bad) {
    const file = `bad/part-0.${plan.rows.bad.format.toLowerCase()}`
    const text = 'order_id,amount\n1,\n2,\n3,\n'
    const read = async function* () {
      yield Buffer.from(text)
    }
    await rows({ name: file, read, moveTo: (to) => writeFile(to, text) })
    bad = { count: 3, files: [file], preview }
  }
  return {
    rowsScanned: 100,
    metrics: plan.metrics.map(({ id }) => ({ id, kind: 'rows' as const, scanned: 100, failed: 3 })),
    bad,
    good: null,
    columns,
    warnings: { total: 1, first: [{ line: 7, message: 'fields are missing' }] },
    reached: null,
    touched: [],
    elapsedMs: 5,
  }
}

/** Three rows of the requested columns; `undefined` means all columns. */
function profileOf(requested: readonly string[] | undefined): DatasetProfile {
  const counted = [1, 2, 3].map((value) => ({ value, position: value, hash: String(value), count: 1 }))
  const [least = null, , greatest = null] = counted
  const sums = { sum: '6', squares: '14', base: 10, exponent: 0 } as const
  const wanted = columns.filter(({ name }) => requested?.includes(name) ?? true)
  const found: ColumnState[] = wanted.map((column) => ({
    ...column,
    ...{ hashedBy: 'fake', nulls: 0, error: null },
    known: {
      ...{ count: 3, notFinite: null, least, greatest, text: null },
      number: { zeros: 0, negatives: 0, sums },
      values: { kind: 'each', values: counted },
    },
  }))
  const warnings = { total: 0, first: [] }
  return { rows: 3, columns: found, columnsLeftOut: 0, warnings, reached: null, elapsedMs: 5 }
}

export function createFakeEngine(): FakeEngine {
  const plans: MeasurePlan[] = []
  const profiles: FakeEngine['profiled'] = []
  let behaviour: Behaviour = { kind: 'end' }
  let running = 0
  let statements: StartedStatements | undefined

  const hang = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      if (signal.aborted) reject(signal.reason)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  async function work<T>(
    signal: AbortSignal,
    onProgress: ((progress: Progress) => void) | undefined,
    end: () => Promise<T>,
  ): Promise<T> {
    running += 1
    try {
      onProgress?.({ stage: 'MEASURING', fraction: 0.5 })
      if (behaviour.kind === 'hang') await hang(signal)
      if (behaviour.kind === 'wait') await behaviour.until
      if (behaviour.kind === 'fail') throw behaviour.error
      return await end()
    } finally {
      running -= 1
    }
  }
  const unused = () => {
    throw new AssayError('not-implemented', 'The fake engine does not do this.')
  }

  return {
    measured: plans,
    statements: () => statements,
    profiled: profiles,
    running: () => running,
    behave: (how) => {
      behaviour = how
    },
    profile: async ({ columns: asked }, { signal, onProgress }) => {
      profiles.push(asked)
      return work(signal, onProgress, async () => profileOf(asked))
    },
    measure: async (plan, { rows, signal, onProgress, ...call }) => {
      plans.push(plan)
      statements = call.statements
      return work(signal, onProgress, () => measuredOf(plan, rows))
    },
    describe: async (_plan, { signal, onProgress }) =>
      work(signal, onProgress, async () => ({
        columns: columns.map((column) => ({ ...column, nullable: true, content: noContent })),
        warnings: { total: 0, first: [] },
        elapsedMs: 5,
      })),
    lastChange: unused,
    measurePeriods: unused,
    discover: unused,
    touches: unused,
    probe: unused,
    sample: unused,
    rewrite: unused,
    compare: unused,
    take: unused,
    prepare: async () => ({ columns, filterError: null, metricErrors: [] }),
    queues: () => [],
    close: async () => undefined,
  }
}
