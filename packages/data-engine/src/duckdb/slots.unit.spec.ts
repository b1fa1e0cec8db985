import { expect, it } from 'vitest'
import { Slots } from './slots.ts'

const signal = new AbortController().signal
const clock = { now: () => 0 }

it('given a key with too many calls, then its calls are refused, and calls of others are queued and come next', async () => {
  const slots = new Slots({ name: 'checks', clock, capacity: 1, maxWaiting: 50, maxWaitingPerKey: 2 })
  const order: string[] = []
  const { promise: ends, resolve: end } = Promise.withResolvers<void>()
  const ask = (key: string | undefined, name: string, work = Promise.resolve()) =>
    slots.run({ tenant: 'default', key, signal }, () => {
      order.push(name)
      return work
    })
  const runs = [ask('viewer', 'first', ends), ask('viewer', 'second'), ask('viewer', 'third')]
  await expect(ask('viewer', 'fourth')).rejects.toMatchObject({ code: 'rate-limited', message: /of this key/ })
  runs.push(ask('author', 'of another key'), ask(undefined, 'of a service'))
  end()
  await Promise.all(runs)
  expect(order).toEqual(['first', 'of another key', 'of a service', 'second', 'third'])
})
