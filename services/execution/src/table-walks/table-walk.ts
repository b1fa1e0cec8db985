/** A crawl of an assembly. `revision`: of the assembly's message about it. Times are ISO 8601 UTC. */
export type CrawledAssembly = { begunAt: string; endedAt: string; revision: number }

/**
 * The walk through the tables of an assembly after a crawl, which triggers their profiles page by page. `above`: the
 * asset id up to which tables were walked. `next`: a crawl that ended during the walk. It waits for the end of the
 * walk: if each crawl began a new walk, frequent crawls of a large assembly would never get to its last tables.
 */
export interface TableWalk {
  assemblyId: number
  crawl: CrawledAssembly | null
  next: CrawledAssembly | null
  above: number
  /** When the current or last walk became due. */
  at: string | null
  /** The end of the latest crawl that was walked or is to be walked. */
  crawledAt: string
}

type OfWalk = { assemblyId: number; at: string }
export type TableWalkCommand =
  | ({ type: 'WalkTables'; crawl: CrawledAssembly } & OfWalk)
  /** `endedAt`: of the crawl whose walk got that far. */
  | ({ type: 'AdvanceTableWalk'; endedAt: string; above: number } & OfWalk)
  | ({ type: 'EndTableWalk'; endedAt: string } & OfWalk)
export type TableWalkEvent =
  | { type: 'TableWalkRequested'; data: OfWalk & { crawl: CrawledAssembly } }
  | { type: 'TableWalkAdvanced'; data: OfWalk & { above: number } }
  | { type: 'TableWalkEnded'; data: OfWalk }

export const noWalk: TableWalk = { assemblyId: 0, crawl: null, next: null, above: 0, at: null, crawledAt: '' }

export function decide(command: TableWalkCommand, state: TableWalk): TableWalkEvent[] {
  const { assemblyId, at } = command
  switch (command.type) {
    case 'WalkTables': {
      const { crawl } = command
      return crawl.endedAt > state.crawledAt ? [{ type: 'TableWalkRequested', data: { assemblyId, at, crawl } }] : []
    }
    case 'AdvanceTableWalk': {
      const { endedAt, above } = command
      const isNew = state.crawl?.endedAt === endedAt && above > state.above
      return isNew ? [{ type: 'TableWalkAdvanced', data: { assemblyId, at, above } }] : []
    }
    case 'EndTableWalk':
      return state.crawl?.endedAt === command.endedAt ? [{ type: 'TableWalkEnded', data: { assemblyId, at } }] : []
    default:
      return command satisfies never
  }
}

export function evolve(state: TableWalk, event: TableWalkEvent): TableWalk {
  const { assemblyId, at } = event.data
  switch (event.type) {
    case 'TableWalkRequested': {
      const { crawl } = event.data
      const crawledAt = crawl.endedAt
      return state.crawl === null
        ? { assemblyId, crawl, next: null, above: 0, at, crawledAt }
        : { ...state, next: crawl, crawledAt }
    }
    case 'TableWalkAdvanced':
      return { ...state, above: event.data.above }
    case 'TableWalkEnded':
      return { ...state, crawl: state.next, next: null, above: 0, at }
    default:
      return event satisfies never
  }
}
