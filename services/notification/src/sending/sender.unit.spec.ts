import { expect, test } from 'vitest'
import { delivered } from './attempt-result.ts'
import type { HttpMessage } from './http-sender.ts'
import { createSend } from './sender.ts'

test('given a channel with a sealed secret, when several messages are sent, then it is opened once, and again after it is rotated', async () => {
  const opened: string[] = []
  const sent: HttpMessage[] = []
  const send = createSend({
    http: {
      async post(message) {
        sent.push(message)
        return delivered(200, 1)
      },
      close: async () => undefined,
    },
    mail: undefined,
    sealer: {
      seal: (clear) => clear,
      open(sealed) {
        opened.push(sealed)
        return `whsec_${Buffer.from(sealed).toString('base64')}`
      },
      isCurrent: () => true,
    },
    clock: { now: () => 0 },
  })
  const channelWith = (sealed: string) => ({
    type: 'WEBHOOK' as const,
    configuration: { url: 'https://receiver.test' },
    secrets: [{ sealed, until: null }],
  })
  const first = channelWith('one')
  for (const channel of [first, first, channelWith('two')]) await send('t', channel, { id: 'msg_1', body: '{}' })
  expect(opened).toEqual(['one', 'two'])
  const signatures = sent.map(({ headers }) => headers['webhook-signature'])
  expect(signatures[1]).toBe(signatures[0])
  expect(signatures[2]).not.toBe(signatures[0])
})
