import type { Facts, Finding, KeptEventSeen } from './facts.ts'

/** The latest events that a full ring surely holds: gaps in the numbers reduce the room. */
const surelyKept = 5_000

function ofOrder({ expected, live, unordered }: Facts['keptEvents']): Finding[] {
  const places = new Map(live.map((event) => [event.id, event]))
  const last = new Map<string, KeptEventSeen>()
  const findings: Finding[] = []
  for (const { id, key } of expected) {
    const event = places.get(id)
    if (event === undefined || unordered.has(id)) continue
    const before = last.get(key)
    // If two were kept at once, either may have been read.
    if (before !== undefined && event.keptAt < before.keptAt)
      findings.push({ kind: 'kept-order', about: `${id} of ${key} stands before ${before.id}`, passing: true })
    last.set(key, event)
  }
  return findings
}

/** Every public event is kept once, as published, in the order of its key. */
export function checkKeptEvents({ keptEvents }: Pick<Facts, 'keptEvents'>): Finding[] {
  const { expected, live, room } = keptEvents
  const byId = Map.groupBy(live, ({ id }) => id)
  const wanted = new Set(expected.map(({ id }) => id))
  const wentRound = live.some(({ number }) => number >= room)
  const from = wentRound ? Math.max(0, expected.length - surelyKept) : 0
  return [
    ...expected.slice(from).flatMap(({ id, key }): Finding[] => {
      return byId.has(id) ? [] : [{ kind: 'lost-kept-event', about: `${id} of ${key}`, passing: true }]
    }),
    ...expected.flatMap(({ id, text }): Finding[] => {
      const changed = byId.get(id)?.find((event) => event.text !== text)
      return changed === undefined ? [] : [{ kind: 'changed-kept-event', about: id, passing: false }]
    }),
    // If two replicas keep an event at once, one of them removes its own again.
    ...[...byId].flatMap(([id, { length }]): Finding[] => {
      return length === 1 ? [] : [{ kind: 'doubled-kept-event', about: `${id}: ${length} times`, passing: true }]
    }),
    // The log may have been read a moment earlier.
    ...[...byId.keys()].flatMap((id): Finding[] => {
      return wanted.has(id) ? [] : [{ kind: 'foreign-kept-event', about: id, passing: true }]
    }),
    ...ofOrder(keptEvents),
  ]
}
