import type { Operation } from '@assay/contracts'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { isAssayError } from '../errors.ts'
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
  query: z.object({ page: z.coerce.number().pipe(z.int().max(9)).default(0), asOf: z.string().optional() }),
  errors: [],
  answer: z.unknown(),
}
const identity = { tenant: 't', user: 'u', accessKey: 'k', permissions: new Set<never>() }
let listening: Listening | undefined
afterEach(async () => {
  await listening?.close()
})

async function start(): Promise<string> {
  async function handle(call: Call<Operation>) {
    const isBound = call.listing?.asOf !== undefined
    call.listing?.bind('m1')
    return { body: { isBound } }
  }
  const serve = createServing({ service: 'catalog', routes: [route(list, handle)], operations: [list] }).get('list')
  listening = await listen(
    (request, response) => {
      const query = (request.url ?? '').split('?')[1] ?? ''
      serve?.({ identity, params: {}, query, seen: new Map() }, request, response).catch((error: unknown) => {
        response.statusCode = isAssayError(error, 'invalid') ? 400 : 500
        response.end(isAssayError(error) ? error.message : undefined)
      })
    },
    { host: '127.0.0.1', port: 0 },
  )
  return `http://127.0.0.1:${listening.port}/things`
}

test('given a page of the current state, or of a snapshot in the query or the header, then the answer names its snapshot', async () => {
  const url = await start()
  const ask = async (query: string, headers: { [name: string]: string } = {}) => {
    const response = await fetch(`${url}${query}`, { headers: { ...headers, connection: 'close' } })
    return [response.status, response.headers.get('x-assay-as-of')]
  }
  expect(await ask('?page=1')).toEqual([200, 'm1'])
  expect(await ask('?page=1&asOf=m0')).toEqual([200, 'm0'])
  expect(await ask('?page=1', { 'x-assay-as-of': 'm0' })).toEqual([200, 'm0'])
  expect(await ask('?page=1', { 'x-assay-as-of': 'not a snapshot' })).toEqual([400, null])
})

test('given a value that exceeds two limits, then the answer names only the narrower one', async () => {
  const response = await fetch(`${await start()}?page=1e18`, { headers: { connection: 'close' } })
  expect(await response.text()).toBe('page: must be at most 9')
})
