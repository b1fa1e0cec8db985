import { networksOf } from '@assay/service-kit'
import { expect, it } from 'vitest'
import { createHttpSender } from './http-sender.ts'
import { createReceiverCheck } from './lookup.ts'

it.each([
  ['ENOTFOUND', 'The name of the receiver was not found. Check the URL.'],
  ['EAI_AGAIN', 'The name of the receiver could not be looked up: the name server did not answer.'],
])('given a name that fails with %s, then the attempt says so', async (code, sentence) => {
  const lookup = () => Promise.reject(Object.assign(new Error(code), { code }))
  const allowed = networksOf([])
  if (allowed === undefined) throw new Error('No networks.')
  const check = createReceiverCheck({ allowed, lookup })
  const http = createHttpSender({ check, clock: { now: () => 0 } })
  const result = await http.post({ url: 'https://nosuch.test/x', headers: {}, body: '{}' })
  expect(result).toMatchObject({ delivered: false, status: null, error: sentence })
  await http.close()
})
