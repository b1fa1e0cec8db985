import { connect as connectTo, createServer, type Socket } from 'node:net'
import { freePort } from '../../../../../tools/servers/ports.mjs'

/** The port for clients, in front of the server: its traffic can be cut, held or refused. */
export interface Door {
  port: number
  /** Cuts every connection. */
  cut(): void
  /** Nothing passes in either direction, and no connection ends, until `release`. */
  hold(): void
  release(): void
  /** Connections are refused, as if no server ran. Also closes open connections. */
  shut(): Promise<void>
  open(): Promise<void>
}

/** Opens a door, by default on a free port of loopback, to the server at the current `target()`. */
export async function openDoor(
  target: () => number,
  { host = '127.0.0.1', port }: { host?: string | undefined; port?: number | undefined } = {},
): Promise<Door> {
  const sockets = new Set<Socket>()
  let held = false
  const server = createServer((outside) => {
    const inside = connectTo(target(), '127.0.0.1')
    for (const [socket, other] of [
      [outside, inside],
      [inside, outside],
    ] as const) {
      sockets.add(socket)
      // Otherwise each small message waits 40 ms for the acknowledgement of the one before.
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
  // A port that is shut for a while must not be given to another connection meanwhile.
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
