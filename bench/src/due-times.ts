import type { RecordedEvent } from '@assay/event-store'
import { z } from 'zod'

/** How long after its time a missed run is still started: the rule of `docs/operations.md`. */
const misfireMs = 3_600_000

const scheduled = z.object({ due: z.string(), nominal: z.string(), next: z.string().nullable() })
const followed = z.object({ due: z.string().nullable() })
const opened = z.object({ executionId: z.int(), scheduled: scheduled.optional() })
const closed = z.object({ executionId: z.int(), ended: z.object({}).nullish() })
const skipped = z.object({ scheduled })
const accepted = z.object({
  run: z.object({
    startedAt: z.string(),
    cause: z.object({ kind: z.string(), nominal: z.string().optional() }),
    policy: z.object({ id: z.int() }),
  }),
})
const claimed = z.object({ fence: z.int() })
const ends = new Set(['ExecutionSucceeded', 'ExecutionFailed', 'ExecutionAborted'])

/** The scheduled runs of one policy, as the log has them. Times are epoch milliseconds. */
export interface PolicySchedule {
  /** The first due time. */
  first: number | null
  /** The due time in the book now. */
  due: number | null
  /**
   * The due times that were taken: `nominal` has the run or the skip; the due times from `due` until `nominal` were
   * missed.
   */
  taken: readonly { due: number; nominal: number; skip: 'rule' | 'other' | null }[]
  /** Due times that were taken although the book had another one. */
  unexpected: readonly number[]
  /** Starts that were abandoned, because a scheduler died between their two appends. */
  abandoned: number
  /** The accepted runs, by nominal time. */
  runs: ReadonlyMap<number, readonly AcceptedRun[]>
}

export interface AcceptedRun {
  lateMs: number
  isEnded: boolean
  isSuccessful: boolean
  /** Number of workers that had it. */
  claims: number
}

/** Reads the schedules of policies from the events of categories `policyruns` and `execution`, by policy id. Pure. */
export function schedulesOf(events: readonly RecordedEvent[]): Map<number, PolicySchedule> {
  const runs = acceptedRuns(events)
  const streams = Map.groupBy(
    events.filter(({ stream }) => stream.includes('/policyruns-')),
    ({ stream }) => Number(stream.slice(stream.lastIndexOf('-') + 1)),
  )
  return new Map([...streams].map(([id, of]) => [id, { ...takenTimes(of), runs: runs.get(id) ?? new Map() }]))
}

function takenTimes(events: readonly RecordedEvent[]): Omit<PolicySchedule, 'runs'> {
  let first: number | null = null
  let due: number | null = null
  let open: { executionId: number; took: z.infer<typeof scheduled> | undefined } | undefined
  let lastEnd = Number.NEGATIVE_INFINITY
  const taken: { due: number; nominal: number; skip: 'rule' | 'other' | null }[] = []
  const unexpected: number[] = []
  /** Due times of abandoned starts that are not due again: their skips come later. */
  const returned = new Set<number>()
  let abandoned = 0
  const timeOrNull = (text: string | null) => (text === null ? null : Date.parse(text))

  function take(of: z.infer<typeof scheduled>, skip: 'rule' | 'other' | null): void {
    const [from, nominal] = [Date.parse(of.due), Date.parse(of.nominal)]
    if (from !== due && !returned.delete(from)) unexpected.push(nominal)
    taken.push({ due: from, nominal, skip })
    due = timeOrNull(of.next)
  }

  for (const { type, data, metadata } of events) {
    if (type === 'PolicyFollowed') {
      due = timeOrNull(followed.parse(data).due)
      first ??= due
    }
    if (type === 'RunOpened') {
      const { executionId, scheduled: took } = opened.parse(data)
      open = { executionId, took }
      if (took) take(took, null)
    }
    if (type === 'RunSkipped') {
      const { scheduled: took } = skipped.parse(data)
      const nominal = Date.parse(took.nominal)
      const isOverlap = open !== undefined || lastEnd >= nominal
      const isLate = Date.parse(metadata.occurredAt) - nominal > misfireMs
      take(took, isOverlap || isLate ? 'rule' : 'other')
    }
    if (type === 'RunEnded') {
      const { executionId, ended } = closed.parse(data)
      if (open?.executionId !== executionId) continue
      // The due time of an abandoned start is due again.
      if (!ended && open.took) {
        const index = taken.findLastIndex(({ nominal }) => nominal === Date.parse(open?.took?.nominal ?? ''))
        taken.splice(index, 1)
        if (due === timeOrNull(open.took.next)) due = Date.parse(open.took.due)
        else returned.add(Date.parse(open.took.due))
      }
      if (!ended) abandoned += 1
      open = undefined
      lastEnd = Date.parse(metadata.occurredAt)
    }
  }
  return { first, due, taken, unexpected, abandoned }
}

function acceptedRuns(events: readonly RecordedEvent[]): Map<number, Map<number, AcceptedRun[]>> {
  const found = new Map<number, Map<number, AcceptedRun[]>>()
  const byStream = new Map<string, AcceptedRun>()
  for (const { stream, type, data } of events) {
    const run = byStream.get(stream)
    if (type === 'ExecutionAccepted') {
      const { startedAt, cause, policy } = accepted.parse(data).run
      if (cause.kind !== 'SCHEDULE' || cause.nominal === undefined) continue
      const nominal = Date.parse(cause.nominal)
      const made = { lateMs: Date.parse(startedAt) - nominal, isEnded: false, isSuccessful: false, claims: 0 }
      byStream.set(stream, made)
      const ofPolicy = found.get(policy.id) ?? new Map<number, AcceptedRun[]>()
      found.set(policy.id, ofPolicy.set(nominal, [...(ofPolicy.get(nominal) ?? []), made]))
    }
    if (run !== undefined && type === 'ExecutionClaimed') run.claims = claimed.parse(data).fence
    if (run !== undefined && ends.has(type)) {
      run.isEnded = true
      run.isSuccessful = type === 'ExecutionSucceeded'
    }
  }
  return found
}
