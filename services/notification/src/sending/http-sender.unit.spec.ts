import { networksOf } from '@assay/service-kit'
import { openReceiver } from '@assay/testkit/receiver'
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

it('given a receiver that never answers, then the attempt says how long it waited', async () => {
  const receiver = await openReceiver({ answer: () => undefined })
  const allowed = networksOf(['127.0.0.0/8'])
  if (allowed === undefined) throw new Error('No networks.')
  const http = createHttpSender({ check: createReceiverCheck({ allowed }), clock: { now: () => 0 } })
  const { error } = await http.post({ url: receiver.url, headers: {}, body: '{}', withinMs: 20 })
  expect(error).toBe('The receiver did not answer within 0.02 seconds.')
  await http.close()
  await receiver.close()
})
