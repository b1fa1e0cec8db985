import { connect, createServer, type Socket } from 'node:net'
import type { Fault } from './fault.ts'
import { createLink, type Link } from './link.ts'

export interface TcpProxy {
  /** On loopback, for clients. */
  port: number
  /** Number of open connections. */
  connections(): number
  /** Begins a fault, which also applies to open connections; `refuse` cuts them. */
  break(fault: Fault): void
  /** Ends the fault. Cuts connections that have lost bytes, because a TCP stream must not have gaps. */
  heal(): void
  /** Cuts every open connection. */
  cut(): void
  /** Cuts everything and frees the port. */
  close(): Promise<void>
}

/**
 * A TCP proxy on a free port of loopback with controllable faults. `targets` returns the current ports to forward to.
 * New connections rotate among them, and a target that refuses is skipped.
 */
export async function openProxy(targets: () => readonly number[]): Promise<TcpProxy> {
  const links = new Set<Link>()
  let fault: Fault | undefined
  let turn = 0

  function connectTo(outside: Socket, ports: readonly number[]): void {
    const [port, ...others] = ports
    if (port === undefined) return void outside.resetAndDestroy()
    const inside = connect(port, '127.0.0.1')
    const tryNext = () => connectTo(outside, others)
    inside.once('error', tryNext)
    inside.once('connect', () => {
      inside.off('error', tryNext)
      const link = createLink(outside, inside, () => fault)
      links.add(link)
      void link.ended.then(() => links.delete(link))
    })
  }

  // With `pauseOnConnect`, bytes that a client sends before the target is connected wait in the client's socket.
  const server = createServer({ pauseOnConnect: true, noDelay: true }, (outside) => {
    outside.on('error', () => undefined)
    if (fault?.kind === 'refuse') return void outside.resetAndDestroy()
    const ports = targets()
    turn += 1
    const first = ports.length === 0 ? 0 : turn % ports.length
    connectTo(outside, [...ports.slice(first), ...ports.slice(0, first)])
  })
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address === null || typeof address === 'string') reject(new Error('The proxy has no port.'))
      else resolve(address.port)
    })
  })
  const cut = () => {
    for (const link of links) link.cut()
  }

  return {
    port,
    connections: () => links.size,
    break(next) {
      fault = next
      if (next.kind === 'refuse') cut()
    },
    heal() {
      fault = undefined
      for (const link of links) if (link.hasLost()) link.cut()
    },
    cut,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      fault = { kind: 'refuse' }
      cut()
      return closed
    },
  }
}
