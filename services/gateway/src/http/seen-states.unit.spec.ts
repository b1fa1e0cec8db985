import { describe, expect, it } from 'vitest'
import { createSeenStates } from './answered-positions.ts'

const write = { service: 'catalog' as const, isWrite: true }
const read = { service: 'catalog' as const, isWrite: false }

describe('what the keys of a client have seen', () => {
  it('given a write of one key, then another key of the client has seen its streams, for ten seconds', () => {
    const clock = { time: 0, now: () => clock.time }
    const states = createSeenStates(clock)
    states.remember({ accessKey: 'a', client: 'x' }, write, ['tag-1@3', '0012'])
    const of = (accessKey: string, client: string) => states.with({ accessKey, client }, new Map()).get('catalog')
    expect([of('a', 'x'), of('b', 'x'), of('b', 'y')]).toEqual([['tag-1@3', '0012'], ['tag-1@3'], undefined])
    clock.time = 10_001
    expect([of('a', 'x'), of('b', 'x')]).toEqual([undefined, undefined])
  })

  it('given many reads of other keys at the address, then the key still has seen its own write', () => {
    const states = createSeenStates({ now: () => 0 })
    const [ann, bob] = [
      { accessKey: 'ann', client: 'x' },
      { accessKey: 'bob', client: 'x' },
    ]
    states.remember(ann, write, ['tag-1@3', '0012'])
    for (let n = 0; n < 100; n += 1) states.remember(bob, read, [`00${n}`])
    expect(states.with(ann, new Map()).get('catalog')).toEqual(['tag-1@3', '0012'])
    expect(states.with(bob, new Map()).get('catalog')).toContain('tag-1@3')
  })
})
