import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openProxy, type TcpProxy } from './tcp-proxy.ts'

let received: string[]
let echo: Server
let proxy: TcpProxy
const clients: Socket[] = []

async function listening(answer: (text: string) => string): Promise<[Server, number]> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      received.push(chunk.toString())
      socket.write(answer(chunk.toString()))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return [server, typeof address === 'object' && address ? address.port : 0]
}

async function client() {
  const socket = connect(proxy.port, '127.0.0.1')
  clients.push(socket)
  let text = ''
  let isClosed = false
  socket.on('data', (chunk) => {
    text += chunk.toString()
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isClosed = true
  })
  // A connection that is cut immediately may never emit `connect`.
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined)
  return { send: (what: string) => void socket.write(what), text: () => text, isClosed: () => isClosed }
}

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 5 })

beforeEach(async () => {
  received = []
  const [server, port] = await listening((text) => text.toUpperCase())
  echo = server
  proxy = await openProxy(() => [port])
})
afterEach(async () => {
  for (const socket of clients.splice(0)) socket.destroy()
  await proxy.close()
  await new Promise((resolve) => echo.close(resolve))
})

describe('a proxy that can fail', () => {
  it('given no fault, when a client sends, then it is answered', async () => {
    const { send, text } = await client()
    send('a')
    await eventually(() => expect(text()).toBe('A'))
    expect(proxy.connections()).toBe(1)
  })

  it('given answers are dropped, when a client sends, then it is delivered, and healing cuts the connection', async () => {
    const { send, text, isClosed } = await client()
    send('a')
    await eventually(() => expect(text()).toBe('A'))
    proxy.break({ kind: 'drop-answers' })
    send('b')
    await eventually(() => expect(received).toEqual(['a', 'b']))
    expect(isClosed()).toBe(false)
    // Healing cuts nothing until the answer has reached the proxy and been dropped.
    await eventually(() => {
      proxy.heal()
      expect(isClosed()).toBe(true)
    })
  })

  it('given silence, when a client sends, then nothing arrives and nothing closes until it is healed', async () => {
    const { send, text, isClosed } = await client()
    send('a')
    await eventually(() => expect(text()).toBe('A'))
    proxy.break({ kind: 'silence' })
    send('b')
    const other = await client()
    other.send('c')
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect([received, isClosed(), other.isClosed()]).toEqual([['a'], false, false])
    proxy.heal()
    await eventually(() => expect([isClosed(), other.isClosed()]).toEqual([true, true]))
  })

  it('given a delay, when a client sends, then everything arrives, in order, and not before the delay', async () => {
    proxy.break({ kind: 'delay', ms: 60 })
    const { send, text } = await client()
    const began = performance.now()
    send('a')
    await new Promise((resolve) => setTimeout(resolve, 5))
    send('b')
    await new Promise((resolve) => setTimeout(resolve, 5))
    proxy.heal()
    send('c')
    await eventually(() => expect(text()).toBe('ABC'))
    expect(performance.now() - began).toBeGreaterThan(55)
    expect(received.join('')).toBe('abc')
  })

  it('given connections are refused, then open and new connections are cut, and after healing a new one is served', async () => {
    const before = await client()
    before.send('a')
    await eventually(() => expect(before.text()).toBe('A'))
    proxy.break({ kind: 'refuse' })
    await eventually(() => expect(before.isClosed()).toBe(true))
    const during = await client()
    await eventually(() => expect(during.isClosed()).toBe(true))
    proxy.heal()
    const after = await client()
    after.send('b')
    await eventually(() => expect(after.text()).toBe('B'))
  })

  it('given a cut, when a client is connected, then its connection is closed, and it can reconnect', async () => {
    const { isClosed, send, text } = await client()
    send('a')
    await eventually(() => expect(text()).toBe('A'))
    proxy.cut()
    await eventually(() => expect(isClosed()).toBe(true))
    expect((await client()).isClosed()).toBe(false)
  })

  it('given several targets, when clients connect, then the proxy rotates, and skips a target that has ended', async () => {
    const [first, port1] = await listening(() => '1')
    const [second, port2] = await listening(() => '2')
    const several = await openProxy(() => [port1, port2])
    const ask = async () => {
      const socket = connect(several.port, '127.0.0.1')
      socket.write('?')
      const [answer] = await once(socket, 'data')
      socket.destroy()
      return String(answer)
    }
    expect([await ask(), await ask()].toSorted()).toEqual(['1', '2'])
    await new Promise((resolve) => first.close(resolve))
    expect([await ask(), await ask()]).toEqual(['2', '2'])
    await several.close()
    await new Promise((resolve) => second.close(resolve))
  })
})
