import type { Operation } from '@assay/contracts'
import { afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type Call, route } from './handler.ts'
import { type Listening, listen } from './listen.ts'
import { createServing } from './serving.ts'

const list: Operation = {
  id: 'list',
  service: 'catalog',
  method: 'GET',
  path: '/things',
  permissions: [],
  summary: '',
  params: z.object({}),
  query: z.object({ page: z.coerce.number().default(0), asOf: z.string().optional() }),
  errors: [],
  answer: z.unknown(),
}
const identity = { tenant: 't', user: 'u', accessKey: 'k', permissions: new Set<never>() }
let listening: Listening | undefined
afterEach(async () => {
  await listening?.close()
})

/** Answers a page, of which the handler says whether more follow. */
async function pages(hasMore: boolean, onMorePages: (mark: string) => Promise<void>): Promise<string> {
  async function handle(call: Call<Operation>) {
    call.listing?.remember('m1', hasMore)
    return { body: {} }
  }
  const serve = createServing({ service: 'catalog', routes: [route(list, handle)], operations: [list] }).get('list')
  listening = await listen(
    (request, response) => {
      const query = (request.url ?? '').split('?')[1] ?? ''
      void serve?.({ identity, params: {}, query, seen: new Map(), onMorePages }, request, response)
    },
    { host: '127.0.0.1', port: 0 },
  )
  return `http://127.0.0.1:${listening.port}/things`
}

test('given a first page that is not the only one, when its moment is being kept, then the answer waits for that', async () => {
  const kept = Promise.withResolvers<void>()
  const keep = vi.fn(() => kept.promise)
  const answered = vi.fn()
  const url = await pages(true, keep)
  const asking = fetch(url, { headers: { connection: 'close' } }).then(answered)
  await vi.waitFor(() => expect(keep).toHaveBeenCalledExactlyOnceWith('m1'), { timeout: 10_000, interval: 5 })
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(answered).not.toHaveBeenCalled()
  kept.resolve()
  await asking
  expect(answered).toHaveBeenCalledOnce()
})

test('given the only page, or a later one of a moment that is named, when it is answered, then nothing is kept', async () => {
  const keep = vi.fn(async () => undefined)
  await fetch(await pages(false, keep), { headers: { connection: 'close' } })
  await listening?.close()
  await fetch(`${await pages(true, keep)}?page=1&asOf=m0`, { headers: { connection: 'close' } })
  expect(keep).not.toHaveBeenCalled()
})
