import { connect as connectTo, createServer, type Socket } from 'node:net'
import { freePort } from '../../../../../tools/servers/ports.mjs'

/** A TCP proxy in front of the server. Tests can cut, pause or refuse its connections. */
export interface TcpProxy {
  port: number
  /** Cuts every connection. */
  cut(): void
  /** Pauses all traffic in both directions until `release`; connections stay open. */
  hold(): void
  release(): void
  /** Closes all connections and refuses new ones, as if no server ran. */
  shut(): Promise<void>
  open(): Promise<void>
}

/** Opens a proxy, by default on a free port of loopback, to the server at port `target()`. */
export async function openTcpProxy(
  target: () => number,
  { host = '127.0.0.1', port }: { host?: string | undefined; port?: number | undefined } = {},
): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let held = false
  const server = createServer((outside) => {
    const inside = connectTo(target(), '127.0.0.1')
    for (const [socket, other] of [
      [outside, inside],
      [inside, outside],
    ] as const) {
      sockets.add(socket)
      // Without this, each small message waits 40 ms for the acknowledgement of the message before.
      socket.setNoDelay(true)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
      if (held) socket.pause()
    }
  })
  const listen = (on: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(on, host, () => resolve())
    })
  // The system must not assign the port to another process while the proxy is shut.
  const bound = port ?? (await freePort())
  await listen(bound)
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: bound,
    cut,
    hold() {
      held = true
      for (const socket of sockets) socket.pause()
    },
    release() {
      held = false
      for (const socket of sockets) socket.resume()
    },
    async shut() {
      if (!server.listening) return
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      cut()
      await closed
    },
    open: () => listen(bound),
  }
}
