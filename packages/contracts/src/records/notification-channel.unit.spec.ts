import { expect, test } from 'vitest'
import { channelConfigurations } from './notification-channel.ts'

const accepts = (name: string) =>
  channelConfigurations.WEBHOOK.safeParse({ url: 'https://a.test', headers: { [name]: 'x' } }).success

test.each(['Authorization', 'X-Team', 'contents', 'hosts'])(
  'given a webhook with the header %s, then it is accepted',
  (name) => expect(accepts(name)).toBe(true),
)

test.each(['Webhook-Id', 'HOST', 'content-length', 'Connection', 'Transfer-Encoding', 'proxy-authorization', 'a b'])(
  'given a webhook with the header %s, then it is refused',
  (name) => expect(accepts(name)).toBe(false),
)
