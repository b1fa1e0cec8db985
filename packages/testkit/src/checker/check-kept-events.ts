import type { Facts, Finding, KeptEventSeen } from './facts.ts'

/** Minimum number of events in a full ring: gaps in the numbers reduce its capacity. */
const leastKept = 5_000

function ofOrder({ expected, live, unordered }: Facts['keptEvents']): Finding[] {
  const byId = new Map(live.map((event) => [event.id, event]))
  const last = new Map<string, KeptEventSeen>()
  const findings: Finding[] = []
  for (const { id, key } of expected) {
    const event = byId.get(id)
    if (event === undefined || unordered.has(id)) continue
    const before = last.get(key)
    // While two replicas keep the same event, a reader may have read either of the two copies.
    if (before !== undefined && event.keptAt < before.keptAt)
      findings.push({ kind: 'kept-order', about: `${id} of ${key} is before ${before.id}`, isTransient: true })
    last.set(key, event)
  }
  return findings
}

/** Checks that every public event is kept exactly once, as published, in the order of its key. */
export function checkKeptEvents({ keptEvents }: Pick<Facts, 'keptEvents'>): Finding[] {
  const { expected, live, capacity } = keptEvents
  const byId = Map.groupBy(live, ({ id }) => id)
  const wanted = new Set(expected.map(({ id }) => id))
  const hasWrapped = live.some(({ number }) => number >= capacity)
  const from = hasWrapped ? Math.max(0, expected.length - leastKept) : 0
  return [
    ...expected.slice(from).flatMap(({ id, key }): Finding[] => {
      return byId.has(id) ? [] : [{ kind: 'lost-kept-event', about: `${id} of ${key}`, isTransient: true }]
    }),
    ...expected.flatMap(({ id, text }): Finding[] => {
      const changed = byId.get(id)?.find((event) => event.text !== text)
      return changed === undefined ? [] : [{ kind: 'changed-kept-event', about: id, isTransient: false }]
    }),
    // If two replicas keep the same event, one of them removes its copy again.
    ...[...byId].flatMap(([id, { length }]): Finding[] => {
      return length === 1 ? [] : [{ kind: 'doubled-kept-event', about: `${id}: ${length} times`, isTransient: true }]
    }),
    // The event may have been published after the log was read.
    ...[...byId.keys()].flatMap((id): Finding[] => {
      return wanted.has(id) ? [] : [{ kind: 'foreign-kept-event', about: id, isTransient: true }]
    }),
    ...ofOrder(keptEvents),
  ]
}
