import { describe, expect, it } from 'vitest'
import { check } from './check.ts'
import type { AuditedWrite, Facts, LoggedEvent, Write } from './facts.ts'

const event = (index: number, write?: string): LoggedEvent => ({
  id: `e${index}`,
  stream: 't/policy-1',
  revision: index,
  position: `00${index}`,
  write,
})
const write = (name: string, outcome: Write['outcome'] = 'acknowledged'): Write => ({ name, outcome, writer: 'w' })
const expected = (id: string) => ({ topic: 'policies', id, key: '1', body: `body of ${id}` })
const message = (id: string, offset: number) => ({ ...expected(id), partition: 0, offset })
const audited: AuditedWrite = {
  ...{ id: 'e1', tenant: 't', at: 'noon', actor: 'ann', accessKey: 'key' },
  ...{ before: { description: 'a' }, after: { description: 'b' } },
}
const toKeep = (id: string) => ({ id, key: 'policies 1', text: `text of ${id}` })
const kept = (id: string, index: number) => ({ id, number: index + 1, keptAt: index, text: `text of ${id}` })

/** Two acknowledged writes, two of unknown outcome (only the first is in the log), and a refused one. */
const sound: Facts = {
  writes: [write('a'), write('b'), write('c', 'unknown'), write('d', 'unknown'), write('x', 'refused')],
  log: [event(0, 'a'), event(1, 'b'), event(2, 'c'), event(3)],
  expectedMessages: [expected('e0'), expected('e1'), expected('e2')],
  // A killed publisher may have published the second message twice.
  topics: [message('e0', 0), message('e1', 1), message('e1', 2), message('e2', 3)],
  expectedEffects: [{ cause: 'e1 to ann' }],
  effects: [{ cause: 'e1 to ann' }],
  documents: { live: new Map([['policies 1', 'b']]), rebuilt: new Map([['policies 1', 'b']]) },
  audit: { writes: [audited], lines: [{ ...audited, position: '001', after: { ...audited.after, version: 2 } }] },
  keptEvents: {
    expected: ['e0', 'e1', 'e2'].map(toKeep),
    live: ['e0', 'e1', 'e2'].map(kept),
    capacity: 10,
    unordered: new Set(),
  },
  keyUses: {
    known: [
      { id: 'k1', tenant: 'system', madeAt: 70_000, wroteAt: 190_000 },
      { id: 'k2', tenant: 'system', madeAt: 70_000 },
    ],
    seen: [{ id: 'k1', tenant: 'system', lastUsedAt: 120_000 }],
  },
  runs: [{ id: 'run 1', openedAt: 0, endedAt: 119_000 }],
  parked: [],
  now: 200_000,
}

const found = (change: Partial<Facts>) => check({ ...sound, ...change }).map(({ kind, about }) => [kind, about])

describe('given consistent facts', () => {
  it('when they are checked, then nothing is found', () => {
    expect(check(sound)).toEqual([])
  })
})

describe('given a planted fault', () => {
  it('when an acknowledged event is lost, then it is found', () => {
    expect(found({ writes: [...sound.writes, write('lost')] })).toEqual([
      ['lost-event', 'lost, acknowledged, is 0 times in the log'],
    ])
  })
  it.each(['acknowledged', 'unknown'] as const)('when an %s write is in the log twice, then it is found', (outcome) => {
    const log = [event(0, 'a'), event(1, 'b'), event(2, 'b'), event(3)]
    const writes = [write('a'), write('b', outcome)]
    expect(found({ log, writes })).toEqual([['doubled-event', `b, ${outcome}, is 2 times in the log`]])
  })
  it('when a refused write is in the log, then it is found', () => {
    const log = [...sound.log, event(4, 'x')]
    expect(found({ log })).toEqual([['refused-event', 'x, refused, is 1 times in the log']])
  })
  it('when acknowledged writes of one writer are swapped in the log, then it is found', () => {
    const log = [event(0, 'b'), event(1, 'a'), event(2, 'c'), event(3)]
    expect(found({ log })).toEqual([['writer-order', 'b is before a of w']])
  })
  it('when a stream has a gap, a position decreases, or an id repeats, then it is found', () => {
    const gap = [event(0, 'a'), event(1, 'b'), event(3)]
    const back = [event(0, 'a'), event(1, 'b'), { ...event(2), position: '000' }]
    const twice = [event(0, 'a'), event(1, 'b'), { ...event(2), id: 'e1' }]
    for (const log of [gap, back, twice]) expect(found({ log })).toEqual([['broken-stream', expect.any(String)]])
  })
  it('when a message is lost, then it is found', () => {
    expect(found({ topics: [message('e0', 0), message('e2', 1)] })).toEqual([['lost-message', 'policies e1 of key 1']])
  })
  it('when a topic has a message without an event, then it is found', () => {
    expect(found({ topics: [...sound.topics, message('e9', 4)] })).toEqual([['foreign-message', 'policies e9']])
  })
  it('when a message differs from its event, or has another key, then it is found', () => {
    const body = { ...message('e2', 3), body: 'another' }
    const key = { ...message('e2', 3), key: '2' }
    for (const wrong of [body, key])
      expect(found({ topics: [message('e0', 0), message('e1', 1), wrong] })).toContainEqual([
        'changed-message',
        'policies e2 at 0/3',
      ])
  })
  it('when two messages of a key are swapped, then it is found', () => {
    expect(found({ topics: [message('e1', 0), message('e0', 1), message('e2', 2)] })).toEqual([
      ['message-order', 'policies e0 of key 1'],
    ])
  })
  it('when messages of one key are in two partitions, then it is found', () => {
    const topics = [message('e0', 0), message('e1', 1), { ...message('e2', 0), partition: 1 }]
    expect(found({ topics })).toEqual([['message-order', 'policies e2 of key 1']])
  })
  it('when the effect of a message is lost, doubled, or without a cause, then it is found', () => {
    const [effect = { cause: '' }] = sound.effects
    expect(found({ effects: [] })).toEqual([['lost-effect', 'e1 to ann']])
    expect(found({ effects: [effect, effect] })).toEqual([['doubled-effect', 'e1 to ann: 2 times']])
    expect(found({ effects: [effect, { cause: 'e7 to bob' }] })).toEqual([['foreign-effect', 'e7 to bob']])
  })
  it('when a document is stale, missing, or superfluous, then it is found', () => {
    const documents = (live: [string, string][]) => ({ documents: { ...sound.documents, live: new Map(live) } })
    expect(found(documents([['policies 1', 'a']]))).toEqual([['stale-document', 'policies 1: a <> b']])
    expect(found(documents([]))).toEqual([['missing-document', 'policies 1']])
    const more: [string, string] = ['policies 2', 'b']
    expect(found(documents([['policies 1', 'b'], more]))).toEqual([['foreign-document', 'policies 2']])
  })
  it('when a write has no audit line, or two, then it is found', () => {
    const { lines } = sound.audit
    const foundIn = (some: Facts['audit']['lines']) => found({ audit: { ...sound.audit, lines: some } })
    expect(foundIn([])).toEqual([['lost-audit', 'e1']])
    expect(foundIn([...lines, ...lines.map((line) => ({ ...line, id: 'e8' }))])).toEqual([
      ['doubled-audit', 'e1 and e8'],
    ])
  })
  it.each([
    { tenant: 'another' },
    { at: 'midnight' },
    { actor: 'bob' },
    { accessKey: null },
    { before: null },
    { before: { description: 'b' } },
    { after: { description: 'c' } },
    { after: null },
  ])('when an audit line says %j instead, then it is found', (wrong) => {
    const [line] = sound.audit.lines
    const lines = line === undefined ? [] : [{ ...line, ...wrong }]
    expect(found({ audit: { ...sound.audit, lines } })).toEqual([
      ['changed-audit', expect.stringContaining(`e1: ${Object.keys(wrong)[0]} `)],
    ])
  })
  it('when a creation is audited as a change, then it is found', () => {
    const writes = [{ ...audited, before: null }]
    expect(found({ audit: { ...sound.audit, writes } })).toEqual([['changed-audit', expect.stringContaining('before')]])
  })
  it('when a public event is not kept, kept twice, kept differently, or kept without an event, then it is found', () => {
    const foundIn = (ids: readonly string[], more: object = {}) =>
      found({ keptEvents: { ...sound.keptEvents, live: ids.map((id, index) => ({ ...kept(id, index), ...more })) } })
    expect(foundIn(['e0', 'e2'])).toEqual([['lost-kept-event', 'e1 of policies 1']])
    expect(foundIn(['e0', 'e1', 'e2', 'e2'])).toEqual([['doubled-kept-event', 'e2: 2 times']])
    expect(foundIn(['e0', 'e1', 'e2'], { text: 'text of e1' })).toEqual([
      ['changed-kept-event', 'e0'],
      ['changed-kept-event', 'e2'],
    ])
    expect(foundIn(['e0', 'e1', 'e2', 'e9'])).toEqual([['foreign-kept-event', 'e9']])
  })
  it('when two kept events of a key are swapped, then it is found, unless they were republished elsewhere', () => {
    const swapped = { ...sound.keptEvents, live: ['e1', 'e0', 'e2'].map(kept) }
    expect(found({ keptEvents: swapped })).toEqual([['kept-order', 'e1 of policies 1 is before e0']])
    const expected = [toKeep('e0'), { ...toKeep('e1'), key: 'policies 2' }, toKeep('e2')]
    expect(found({ keptEvents: { ...swapped, expected } })).toEqual([])
    expect(found({ keptEvents: { ...swapped, unordered: new Set(['e1']) } })).toEqual([])
  })
  it('when the ring of kept events has wrapped around, then only the oldest events may be missing', () => {
    const expected = Array.from({ length: 6_000 }, (_, index) => toKeep(`e${index}`))
    const all = expected.map(({ id }, index) => ({ ...kept(id, index), number: index }))
    const foundIn = (live: Facts['keptEvents']['live'], capacity: number) =>
      found({ keptEvents: { ...sound.keptEvents, expected, live, capacity } })
    expect(foundIn(all.slice(1_000), 5_500)).toEqual([])
    expect(foundIn(all.slice(1), 6_000)).toEqual([['lost-kept-event', 'e0 of policies 1']])
    expect(foundIn(all.slice(1_001), 5_500)).toEqual([['lost-kept-event', 'e1000 of policies 1']])
  })
  it('when the use of a key has no key, the wrong tenant, an impossible time, or is older than a write with it, then it is found', () => {
    const [use = { id: '', tenant: '', lastUsedAt: 0 }] = sound.keyUses.seen
    const foundIn = (seen: Facts['keyUses']['seen']) => found({ keyUses: { ...sound.keyUses, seen } })
    expect(foundIn([use, { ...use, id: 'k9' }])).toEqual([['foreign-key-use', 'system k9']])
    expect(foundIn([use, { ...use, id: 'k2', tenant: 't' }])).toEqual([['foreign-key-use', 't k2']])
    for (const lastUsedAt of [0, 120_001, 240_000])
      expect(foundIn([use, { ...use, id: 'k2', lastUsedAt }])).toEqual([['wrong-key-use', `k2 at ${lastUsedAt}`]])
    expect(foundIn([{ ...use, lastUsedAt: 60_000 }])).toEqual([['stale-key-use', 'k1 wrote at 190000']])
    expect(foundIn([])).toEqual([['stale-key-use', 'k1 wrote at 190000']])
  })
  it('when a run is open, or was open for more than two minutes, then it is found, as transient only within two minutes', () => {
    const runs = [
      { id: 'run 1', openedAt: 0, endedAt: 121_000 },
      { id: 'run 2', openedAt: 79_000, endedAt: null },
      { id: 'run 3', openedAt: 81_000, endedAt: null },
    ]
    expect(check({ ...sound, runs }).map(({ about, isTransient }) => [about, isTransient])).toEqual([
      ['run 1 was open for 121 s', false],
      ['run 2 is open for 121 s', false],
      ['run 3 is open for 119 s', true],
    ])
  })
  it('when a run acquires a resource before the previous run has released it, then it is found', () => {
    const run = (id: string, resource: string, from: number, until: number | null) => ({
      ...{ id, openedAt: 199_000, endedAt: 199_500 },
      holds: { resource, from, until },
    })
    const apart = [run('run 1', 'policy 1', 0, 1), run('run 2', 'policy 1', 2, 3), run('run 3', 'policy 2', 1, 5)]
    expect(found({ runs: apart })).toEqual([])
    for (const until of [5, null])
      expect(
        found({ runs: [...apart, run('run 4', 'policy 1', 4, until), run('run 5', 'policy 1', 3, until)] }),
      ).toEqual([['runs-overlap', 'run 4 took policy 1, which run 5 held']])
  })
  it('when a message or stream is parked, then it is found', () => {
    expect(found({ parked: ['policies 1'] })).toEqual([['parked', 'policies 1']])
  })
})
