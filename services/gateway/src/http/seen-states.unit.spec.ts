import { describe, expect, it } from 'vitest'
import { createSeenStates } from './answered-positions.ts'

const write = { service: 'catalog' as const, isWrite: true }
const read = { service: 'catalog' as const, isWrite: false }

describe('what the keys of a client have seen', () => {
  it('given a write of one key, then another key of the client has seen its streams, for ten seconds', () => {
    const clock = { time: 0, now: () => clock.time }
    const states = createSeenStates(clock)
    states.remember({ accessKey: 'a', client: 'x' }, write, ['tag-1@3', 'tag-2@0'])
    const of = (accessKey: string, client: string) => states.with({ accessKey, client }, new Map()).get('catalog')
    expect([of('a', 'x'), of('b', 'x'), of('b', 'y')]).toEqual([
      ['tag-1@3', 'tag-2@0'],
      ['tag-1@3', 'tag-2@0'],
      undefined,
    ])
    clock.time = 10_001
    expect([of('a', 'x'), of('b', 'x')]).toEqual([undefined, undefined])
  })

  it('given many reads of other keys at the address, then the key still has seen its own write', () => {
    const states = createSeenStates({ now: () => 0 })
    const [ann, bob] = [
      { accessKey: 'ann', client: 'x' },
      { accessKey: 'bob', client: 'x' },
    ]
    states.remember(ann, write, ['tag-1@3', 'tag-2@0'])
    for (let n = 0; n < 100; n += 1) states.remember(bob, read, [`tag-3@${n}`])
    expect(states.with(ann, new Map()).get('catalog')).toEqual(['tag-1@3', 'tag-2@0'])
    expect(states.with(bob, new Map()).get('catalog')).toContain('tag-1@3')
  })

  it('given more writes at the address than a service reads, then those of the request and of its key come last', () => {
    const states = createSeenStates({ now: () => 0 })
    states.remember({ accessKey: 'ann', client: 'x' }, write, ['tag-1@3'])
    for (let n = 0; n < 16; n += 1) states.remember({ accessKey: 'bob', client: 'x' }, write, [`tag-2@${n}`])
    const seen = states.with({ accessKey: 'ann', client: 'x' }, new Map([['catalog', ['tag-9@0']]])).get('catalog')
    expect(seen?.slice(-3)).toEqual(['tag-2@15', 'tag-1@3', 'tag-9@0'])
  })
})
