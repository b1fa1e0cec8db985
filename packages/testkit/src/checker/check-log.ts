import type { Facts, Finding, LoggedEvent, Write } from './facts.ts'

function ofWrite(write: Write, events: readonly LoggedEvent[]): Finding[] {
  const about = `${write.name}, ${write.outcome}, is ${events.length} times in the log`
  if (events.length > 1) return [{ kind: 'doubled-event', about, isTransient: false }]
  if (write.outcome === 'acknowledged' && events.length === 0)
    return [{ kind: 'lost-event', about, isTransient: false }]
  if (write.outcome === 'refused' && events.length > 0) return [{ kind: 'refused-event', about, isTransient: false }]
  return []
}

/** Checks that acknowledged writes of one writer are in the order in which they were sent. */
function ofWriters(writes: readonly Write[], byWrite: ReadonlyMap<string, readonly LoggedEvent[]>): Finding[] {
  const findings: Finding[] = []
  const last = new Map<string, LoggedEvent>()
  for (const { name, writer, outcome } of writes) {
    const event = byWrite.get(name)?.[0]
    // A write with an unknown outcome may have been applied late.
    if (outcome !== 'acknowledged' || event === undefined) continue
    const before = last.get(writer)
    if (before !== undefined && event.position <= before.position)
      findings.push({
        kind: 'writer-order',
        about: `${name} is before ${before.write} of ${writer}`,
        isTransient: false,
      })
    last.set(writer, event)
  }
  return findings
}

/** Leases truncate superseded events. */
const truncated = /^[^/]+\/lease-/

function ofStreams(log: readonly LoggedEvent[]): Finding[] {
  const findings: Finding[] = []
  const next = new Map<string, number>()
  const ids = new Set<string>()
  let position = ''
  for (const event of log) {
    const wanted = next.get(event.stream) ?? 0
    const about = `${event.stream}@${event.revision} (${event.id})`
    const broken = (what: string) =>
      findings.push({ kind: 'broken-stream', about: `${about} ${what}`, isTransient: false })
    if (event.revision !== wanted && !truncated.test(event.stream)) broken(`expected ${wanted}`)
    if (event.position <= position) broken('has a position that is not after the previous one')
    if (ids.has(event.id)) broken('has the id of another event')
    next.set(event.stream, event.revision + 1)
    ids.add(event.id)
    position = event.position
  }
  return findings
}

/** Checks that acknowledged writes appear once and refused ones never, and that streams have no gaps. */
export function checkLog({ writes, log }: Pick<Facts, 'writes' | 'log'>): Finding[] {
  const byWrite = Map.groupBy(
    log.filter(({ write }) => write !== undefined),
    ({ write = '' }) => write,
  )
  return [
    ...writes.flatMap((write) => ofWrite(write, byWrite.get(write.name) ?? [])),
    ...ofWriters(writes, byWrite),
    ...ofStreams(log),
  ]
}
