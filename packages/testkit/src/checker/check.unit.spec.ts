import { describe, expect, it } from 'vitest'
import { check } from './check.ts'
import type { Facts, LoggedEvent, Write } from './facts.ts'

const event = (index: number, mark?: string): LoggedEvent => ({
  id: `e${index}`,
  stream: 't/policy-1',
  revision: index,
  position: `00${index}`,
  mark,
})
const write = (mark: string, outcome: Write['outcome'] = 'acknowledged'): Write => ({ mark, outcome, writer: 'w' })
const expected = (id: string) => ({ topic: 'policies', id, key: '1', body: `body of ${id}` })
const message = (id: string, offset: number) => ({ ...expected(id), partition: 0, offset })

/** Two acknowledged writes, one that is unknown and happened, one that is unknown and did not, one refused. */
const sound: Facts = {
  writes: [write('a'), write('b'), write('c', 'unknown'), write('d', 'unknown'), write('x', 'refused')],
  log: [event(0, 'a'), event(1, 'b'), event(2, 'c'), event(3)],
  expectedMessages: [expected('e0'), expected('e1'), expected('e2')],
  // The second stands there twice, which a killed publisher may do.
  topics: [message('e0', 0), message('e1', 1), message('e1', 2), message('e2', 3)],
  expectedEffects: [{ cause: 'e1 to ann' }],
  effects: [{ cause: 'e1 to ann' }],
  documents: { live: new Map([['policies 1', 'b']]), rebuilt: new Map([['policies 1', 'b']]) },
  runs: [{ id: 'run 1', openedAt: 0, endedAt: 119_000 }],
  parked: [],
  now: 200_000,
}

const found = (change: Partial<Facts>) => check({ ...sound, ...change }).map(({ kind, about }) => [kind, about])

describe('given what is sound', () => {
  it('when it is checked, then nothing is found', () => {
    expect(check(sound)).toEqual([])
  })
})

describe('given a planted fault', () => {
  it('when an acknowledged event is lost, then it is found', () => {
    expect(found({ writes: [...sound.writes, write('lost')] })).toEqual([
      ['lost-event', 'lost, acknowledged, stands 0 times in the log'],
    ])
  })
  it.each(['acknowledged', 'unknown'] as const)(
    'when an %s write stands in the log twice, then it is found',
    (outcome) => {
      const log = [event(0, 'a'), event(1, 'b'), event(2, 'b'), event(3)]
      const writes = [write('a'), write('b', outcome)]
      expect(found({ log, writes })).toEqual([['doubled-event', `b, ${outcome}, stands 2 times in the log`]])
    },
  )
  it('when what was refused stands in the log, then it is found', () => {
    const log = [...sound.log, event(4, 'x')]
    expect(found({ log })).toEqual([['refused-event', 'x, refused, stands 1 times in the log']])
  })
  it('when acknowledged writes of one writer are swapped in the log, then it is found', () => {
    const log = [event(0, 'b'), event(1, 'a'), event(2, 'c'), event(3)]
    expect(found({ log })).toEqual([['writer-order', 'b stands before a of w']])
  })
  it('when a stream has a gap, a position goes back, or an id comes twice, then it is found', () => {
    const gap = [event(0, 'a'), event(1, 'b'), event(3)]
    const back = [event(0, 'a'), event(1, 'b'), { ...event(2), position: '000' }]
    const twice = [event(0, 'a'), event(1, 'b'), { ...event(2), id: 'e1' }]
    for (const log of [gap, back, twice]) expect(found({ log })).toEqual([['broken-stream', expect.any(String)]])
  })
  it('when a message is lost, then it is found', () => {
    expect(found({ topics: [message('e0', 0), message('e2', 1)] })).toEqual([['lost-message', 'policies e1 of key 1']])
  })
  it('when a message of no event is on a topic, then it is found', () => {
    expect(found({ topics: [...sound.topics, message('e9', 4)] })).toEqual([['foreign-message', 'policies e9']])
  })
  it('when a message says something else than its event, or under another key, then it is found', () => {
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
  it('when messages of one key stand in two partitions, then it is found', () => {
    const topics = [message('e0', 0), message('e1', 1), { ...message('e2', 0), partition: 1 }]
    expect(found({ topics })).toEqual([['message-order', 'policies e2 of key 1']])
  })
  it('when the effect of a message is lost, doubled, or of nothing, then it is found', () => {
    const [effect = { cause: '' }] = sound.effects
    expect(found({ effects: [] })).toEqual([['lost-effect', 'e1 to ann']])
    expect(found({ effects: [effect, effect] })).toEqual([['doubled-effect', 'e1 to ann: 2 times']])
    expect(found({ effects: [effect, { cause: 'e7 to bob' }] })).toEqual([['foreign-effect', 'e7 to bob']])
  })
  it('when a document is stale, missing, or should not be there, then it is found', () => {
    const documents = (live: [string, string][]) => ({ documents: { ...sound.documents, live: new Map(live) } })
    expect(found(documents([['policies 1', 'a']]))).toEqual([['stale-document', 'policies 1: a <> b']])
    expect(found(documents([]))).toEqual([['missing-document', 'policies 1']])
    const more: [string, string] = ['policies 2', 'b']
    expect(found(documents([['policies 1', 'b'], more]))).toEqual([['foreign-document', 'policies 2']])
  })
  it('when a run is open, or was for more than two minutes, then it is found; it may still end only within them', () => {
    const runs = [
      { id: 'run 1', openedAt: 0, endedAt: 121_000 },
      { id: 'run 2', openedAt: 79_000, endedAt: null },
      { id: 'run 3', openedAt: 81_000, endedAt: null },
    ]
    expect(check({ ...sound, runs }).map(({ about, passing }) => [about, passing])).toEqual([
      ['run 1 was open for 121 s', false],
      ['run 2 is open for 121 s', false],
      ['run 3 is open for 119 s', true],
    ])
  })
  it('when a run begins before the one before it has given back what both hold, then it is found', () => {
    const run = (id: string, what: string, from: number, until: number | null) => ({
      ...{ id, openedAt: 199_000, endedAt: 199_500 },
      holds: { what, from, until },
    })
    const apart = [run('run 1', 'policy 1', 0, 1), run('run 2', 'policy 1', 2, 3), run('run 3', 'policy 2', 1, 5)]
    expect(found({ runs: apart })).toEqual([])
    for (const until of [5, null])
      expect(
        found({ runs: [...apart, run('run 4', 'policy 1', 4, until), run('run 5', 'policy 1', 3, until)] }),
      ).toEqual([['runs-overlap', 'run 4 took policy 1, which run 5 held']])
  })
  it('when something was set aside, then it is found', () => {
    expect(found({ parked: ['policies 1'] })).toEqual([['parked', 'policies 1']])
  })
})
