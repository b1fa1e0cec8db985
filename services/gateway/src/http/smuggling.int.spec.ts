import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Pair, type RunningGateway, startGateway } from '../testing/harness.ts'

const api = '/catalog-server/api'
let gateway: RunningGateway
let pair: Pair

beforeAll(async () => {
  gateway = await startGateway()
  const { accessKey, secretKey } = await gateway.key()
  pair = { accessKey, secretKey }
})
afterAll(() => gateway.stop())

/** The answer on a separate connection, until the gateway closes it. */
function answerTo(headers: readonly string[], body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const keys = [`accessKey: ${pair.accessKey}`, `secretKey: ${pair.secretKey}`, 'content-type: application/json']
    const head = [`POST ${api}/tags HTTP/1.1`, 'host: x', ...keys, ...headers].join('\r\n')
    let answer = ''
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    socket.on('data', (part: Buffer) => {
      answer += part.toString()
    })
    socket.on('error', reject).on('close', () => resolve(answer))
    socket.write(`${head}\r\n\r\n${body}`)
  })
}

const body = '{"name":"a"}'
const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

describe('given a request whose end two parsers would see at different positions', () => {
  const length = `content-length: ${body.length}`
  test.each<[string, string[], string]>([
    ['a length and chunks', [length, 'transfer-encoding: chunked'], chunked],
    ['two lengths', [length, 'content-length: 3'], body],
    ['a list of different lengths', [`content-length: ${body.length}, 3`], body],
    ['a length with a sign', [`content-length: +${body.length}`], body],
    ['chunks under a similar name', ['transfer-encoding: xchunked'], chunked],
    ['chunked that is not the last coding', ['transfer-encoding: chunked, identity'], chunked],
    ['a space before the colon', ['transfer-encoding : chunked'], chunked],
    ['a folded header', ['x-a: 1\r\n transfer-encoding: chunked', length], body],
    ['a bare line feed', [`x-a: 1\ntransfer-encoding: chunked`, length], body],
    ['an invalid chunk size', ['transfer-encoding: chunked'], `0x${chunked}`],
  ])('when it has %s, then it is refused, and nothing after it is read', async (_, headers, text) => {
    const before = gateway.served.length
    const hidden = `GET ${api}/assets HTTP/1.1\r\nhost: x\r\n\r\n`
    expect(await answerTo(headers, text + hidden)).toMatch(/^HTTP\/1\.1 400 (?!.*HTTP\/1\.1)/s)
    expect(gateway.served.slice(before).map(({ operation }) => operation.id)).toEqual([])
  })

  test('when it is unambiguous, then it is served', async () => {
    const answer = await answerTo(['transfer-encoding: chunked', 'connection: close'], chunked)
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(gateway.served.at(-1)?.operation.id).toBe('createTag')
  })
})
