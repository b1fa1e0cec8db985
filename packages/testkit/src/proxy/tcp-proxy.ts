import { connect, createServer, type Socket } from 'node:net'
import type { Fault } from './fault.ts'
import { createLink, type Link } from './link.ts'

export interface TcpProxy {
  /** Of loopback; what clients are to be told. */
  port: number
  /** Connections that are open now. */
  connections(): number
  /** From now on, also for what is connected already; `refuse` cuts that. */
  break(fault: Fault): void
  /**
   * Nothing is broken any more. Connections that have lost bytes are cut, as a stream with a hole in it would be no
   * fault that a network makes.
   */
  heal(): void
  /** Cuts every connection that there is. */
  cut(): void
  /** Cuts everything and frees the port. */
  close(): Promise<void>
}

/**
 * A TCP proxy on a free port of loopback that can be told to fail. `targets`: the ports behind it, asked for at each
 * connection; of several the next one takes each new connection, and one that refuses is passed over.
 */
export async function openProxy(targets: () => readonly number[]): Promise<TcpProxy> {
  const links = new Set<Link>()
  let fault: Fault | undefined
  let turn = 0

  function reach(outside: Socket, ports: readonly number[]): void {
    const [port, ...others] = ports
    if (port === undefined) return void outside.resetAndDestroy()
    const inside = connect(port, '127.0.0.1')
    const passOver = () => reach(outside, others)
    inside.once('error', passOver)
    inside.once('connect', () => {
      inside.off('error', passOver)
      const link = createLink(outside, inside, () => fault)
      links.add(link)
      void link.ended.then(() => links.delete(link))
    })
  }

  // What a client sends before the way behind is there waits in its socket.
  const server = createServer({ pauseOnConnect: true, noDelay: true }, (outside) => {
    outside.on('error', () => undefined)
    if (fault?.kind === 'refuse') return void outside.resetAndDestroy()
    const ports = targets()
    turn += 1
    const first = ports.length === 0 ? 0 : turn % ports.length
    reach(outside, [...ports.slice(first), ...ports.slice(0, first)])
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
