import { createLogger } from '@assay/service-kit'
import { expect, it } from 'vitest'
import { createDuePoller } from './due-book.ts'

it('given many entries due at the same time, then they are handled concurrently', async () => {
  const entries = Array.from({ length: 300 }, (_, id) => ({ kind: 'policy', tenant: 't', id, nextAt: 0 }))
  const others = Promise.withResolvers<void>()
  const handled: number[] = []
  const poller = createDuePoller({
    documents: {
      find: async (collection, _tenant, { page = 0, size }) => {
        const shown = entries.slice(page * size, (page + 1) * size)
        return { documents: shown.map((entry) => collection.schema.parse(entry)), count: entries.length }
      },
    },
    kinds: [
      {
        kind: 'policy',
        handle: async (_tenant, id) => {
          if (id === 0) await others.promise
          handled.push(id)
          if (handled.length === entries.length - 1) others.resolve()
          return true
        },
      },
    ],
    clock: { now: () => 0 },
    timers: { sleep: async () => undefined, every: () => ({ stop() {} }), everySecond: () => ({ stop() {} }) },
    logger: createLogger({ level: 'silent' }),
  })
  await poller.poll()
  expect(handled).toHaveLength(300)
  expect(handled.at(-1)).toBe(0)
})
