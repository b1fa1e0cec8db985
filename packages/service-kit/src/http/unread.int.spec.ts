import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Listening, listen } from './listen.ts'

let http: Listening
beforeAll(async () => {
  http = await listen((_request, response) => response.end('read'), { host: '127.0.0.1', port: 0 })
})
afterAll(() => http.close())

/** The server's answer to these bytes, until it ends the connection. */
function answerTo(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(http.port, '127.0.0.1', () => socket.write(bytes))
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
}

test.each([
  ['a query of more than 64 KiB', `GET /?labels=${'%D0%B8'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`, 431],
  ['a header with NUL', 'GET / HTTP/1.1\r\nhost: a\r\naccessKey: a\0b\r\n\r\n', 400],
  ['bytes that are not HTTP', 'hello\r\n\r\n', 400],
  ['an invalid length', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n', 400],
])('given %s, then the answer is the error envelope, and the connection ends', async (_, bytes, status) => {
  const [head = '', body = ''] = (await answerTo(bytes)).split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(head.toLowerCase()).toContain('content-type: application/json')
  expect(JSON.parse(body)).toEqual({ errors: [{ message: expect.stringMatching(/\w/), status }] })
})
