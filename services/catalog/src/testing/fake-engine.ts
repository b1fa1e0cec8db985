import type { DataEngine, Discovered, DiscoveredColumn } from '@assay/data-engine'

export const column = (name: string, dataType = 'VARCHAR', more: Partial<DiscoveredColumn> = {}): DiscoveredColumn => ({
  name,
  dataType,
  nullable: true,
  children: [],
  ...more,
})

type Table = Extract<Discovered, { kind: 'table' }>

/** A file at `path` (`2026/orders.csv`) with columns. */
export function file(path: string, columns: DiscoveredColumn[], more: Partial<Table> = {}): Table {
  const parts = path.split('/')
  const name = parts.pop() ?? ''
  return {
    kind: 'table',
    path: parts,
    name,
    assetType: 'FILE',
    locator: {
      kind: 'files',
      root: '/data',
      pattern: `/data/${path}`,
      format: 'CSV',
      partitioned: false,
      columns: columns.map(({ name, dataType }) => ({ name, dataType })),
      fingerprint: 'f1',
    },
    columns,
    rowCount: null,
    sizeBytes: 10,
    lastChangedAt: '2026-01-01T00:00:00.000Z',
    fileCount: 1,
    warnings: { total: 0, first: [] },
    ...more,
  }
}

export const folder = (path: string): Discovered => {
  const parts = path.split('/')
  const name = parts.pop() ?? ''
  return { kind: 'container', path: parts, name, assetType: 'DIRECTORY' }
}

/** Two files that many tests crawl: `2026/orders.csv` and `people.csv`. */
export const orders = () => file('2026/orders.csv', [column('id', 'BIGINT'), column('amount', 'DOUBLE')])
export const people = () => file('people.csv', [column('name')])

/** An engine that yields what a test has set. */
export interface FakeEngine extends DataEngine {
  /** The results of the next crawls, in order. An error is thrown; `wait` blocks until the crawl is aborted. */
  finds: (Discovered | Error | 'wait')[]
  probeError: Error | undefined
}

export function createFakeEngine(finds: FakeEngine['finds'] = []): FakeEngine {
  const unused = () => Promise.reject(new Error('not part of this fake'))
  const engine: FakeEngine = {
    finds,
    probeError: undefined,
    async *discover() {
      for (const item of engine.finds) {
        if (item instanceof Error) throw item
        if (item === 'wait') await new Promise(() => {})
        else yield item
      }
    },
    async probe() {
      if (engine.probeError !== undefined) throw engine.probeError
      return { tables: engine.finds.length, skipped: { total: 0, first: [] } }
    },
    touches: unused,
    prepare: unused,
    measure: unused,
    sample: unused,
    describe: unused,
    lastChange: unused,
    measurePeriods: unused,
    profile: unused,
    compare: unused,
    take: unused,
    queues: () => [],
    close: async () => {},
  }
  return engine
}
