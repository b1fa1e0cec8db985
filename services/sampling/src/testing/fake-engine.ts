import type { DataEngine, DatasetLocator, SampleRows } from '@assay/data-engine'

export type Behaviour = { kind: 'rows'; rows: SampleRows } | { kind: 'hang' } | { kind: 'fail'; error: unknown }

/** A fake engine: returns `next`, and counts its calls. */
export interface FakeEngine extends Pick<DataEngine, 'prepare' | 'sample' | 'touches'> {
  asked: number
  inFlight: number
  next: Behaviour
  /** The error that every expression gets; `null` means none. */
  refuses: string | null
  /** The dataset of the last call. */
  dataset: DatasetLocator | undefined
  filter: string | undefined
}

/** Two columns and `count` rows. */
export function rowsFixture(count: number): SampleRows {
  return {
    fields: [
      { name: 'id', type: 'BIGINT', nullable: false },
      { name: 'note', type: 'VARCHAR', nullable: true },
    ],
    rows: Array.from({ length: count }, (_, id) => ({ id, note: `row ${id}` })),
    warnings: { total: 0, first: [] },
  }
}

export function createFakeEngine(): FakeEngine {
  const engine: FakeEngine = {
    asked: 0,
    inFlight: 0,
    next: { kind: 'rows', rows: rowsFixture(3) },
    refuses: null,
    dataset: undefined,
    filter: undefined,
    prepare: async ({ metrics }) => ({
      columns: [],
      filterError: null,
      metricErrors: metrics.flatMap(({ id }) => (engine.refuses === null ? [] : [{ id, message: engine.refuses }])),
    }),
    touches: async (texts) =>
      texts.map(({ text }) => {
        const columns = ['id', 'note'].filter((name) => text.sql.includes(name))
        return { columns, fields: [], allColumns: false, tables: [] }
      }),
    async sample({ dataset, filter }, { signal }) {
      engine.dataset = dataset
      engine.filter = filter?.sql
      engine.asked += 1
      engine.inFlight += 1
      try {
        const { next } = engine
        if (next.kind === 'rows') return next.rows
        if (next.kind === 'fail') throw next.error
        return await new Promise<SampleRows>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        })
      } finally {
        engine.inFlight -= 1
      }
    },
  }
  return engine
}
