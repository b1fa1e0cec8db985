import { networksOf } from '@assay/service-kit'
import { makeAuthority } from '@assay/testkit/certificates'
import { openReceiver } from '@assay/testkit/receiver'
import { afterEach, describe, expect, it } from 'vitest'
import { openHarness } from './testing/harness.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close()
})
const none = { has: () => false }

async function open(settings: Parameters<typeof openHarness>[0] = {}) {
  const harness = await openHarness(settings)
  opened.push(harness)
  const create = (url: string, type = 'WEBHOOK') =>
    harness.ask('POST', '/notification-channels', {}, { name: 'x', type, configuration: { url } })
  const test = async (id: number) => (await harness.ask('POST', `/notification-channels/${id}/test`)).body.data
  return { harness, create, test }
}

describe('addresses of receivers', () => {
  it.each([
    'https://127.0.0.1/hook',
    'https://127.1/hook',
    'https://2130706433/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://169.254.169.254/latest',
    'https://inside.example.com/',
    'http://1.1.1.1/',
    'ftp://1.1.1.1/',
    'https://user:secret@1.1.1.1/',
  ])('given %s, when a channel is created, then it is refused with 400 that names url', async (url) => {
    const lookup = async () => [
      { address: '93.184.215.14', family: 4 },
      { address: '10.0.0.7', family: 4 },
    ]
    const { create } = await open({ allowed: none, lookup })
    for (const type of ['WEBHOOK', 'SLACK']) {
      const { status, text } = await create(url, type)
      expect(status).toBe(400)
      expect(text).toContain('url')
    }
  })

  it('given a name that resolves to a private address later, when a message is sent, then nothing is connected to', async () => {
    const receiver = await openReceiver()
    opened.push(receiver)
    let address = '127.0.0.1'
    const allowed = networksOf(['127.0.0.1']) ?? none
    const { create, test } = await open({ allowed, lookup: async () => [{ address, family: 4 }] })
    const { body } = await create(`http://hooks.example.com:${receiver.port}/`)
    expect(await test(body.data.id)).toMatchObject({ delivered: true })
    const other = await create(`http://other.example.com:${receiver.port}/`)
    address = '127.0.0.2'
    expect(await test(other.body.data.id)).toMatchObject({
      delivered: false,
      status: null,
      message: expect.stringContaining('other.example.com has an address that is not public'),
    })
    expect(receiver.received).toHaveLength(1)
  })

  it('given a redirect to a private address, then it is not followed', async () => {
    const inside = await openReceiver()
    const outside = await openReceiver({
      answer: (response) => void response.writeHead(307, { location: inside.url }).end(),
    })
    opened.push(inside, outside)
    const { create, test } = await open()
    const { body } = await create(outside.url)
    expect(await test(body.data.id)).toMatchObject({ delivered: false, status: 307 })
    expect(inside.received).toEqual([])
  })

  it('given a certificate, then it must be trusted and of the host', async () => {
    const authority = makeAuthority()
    const good = authority.issueServer()
    const wrong = authority.issueServer({ dns: 'elsewhere.example.com', ip: '127.0.0.9' })
    const certified = await openReceiver({ tls: { key: good.key, cert: good.certificate } })
    const misnamed = await openReceiver({ tls: { key: wrong.key, cert: wrong.certificate } })
    opened.push(certified, misnamed)
    const trusting = await open({ ca: authority.certificate })
    const idOf = async (url: string, { create }: typeof trusting) => (await create(url)).body.data.id
    expect(await trusting.test(await idOf(certified.url, trusting))).toMatchObject({ delivered: true })
    const untrusted = { delivered: false, message: 'The certificate of the receiver is not trusted.' }
    expect(await trusting.test(await idOf(misnamed.url, trusting))).toMatchObject(untrusted)
    const other = await open()
    expect(await other.test(await idOf(certified.url, other))).toMatchObject(untrusted)
    expect(misnamed.received).toEqual([])
  })
})
