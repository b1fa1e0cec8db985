/** Ports for the servers of tests: free ones, outside of the system's ephemeral range. */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'

/**
 * The ports to choose from. Leaves out the system's ephemeral range, because a connection of another process may take such
 * a port after the check, also between a server's kill and its restart.
 */
async function range() {
  const text = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').catch(() => '')
  const [low = 32_768, high = 60_999] = text.trim() === '' ? [] : text.trim().split(/\s+/).map(Number)
  const below = { first: 10_000, count: low - 10_000 }
  const above = { first: high + 1, count: 65_535 - high }
  return below.count >= above.count ? below : above
}

const given = new Set()

function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer().on('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** `count` different free ports of loopback, none of them returned to this process before. */
export async function freePorts(count) {
  const { first, count: width } = await range()
  const ports = []
  for (let tries = 0; ports.length < count; tries++) {
    if (tries > 10_000)
      throw new Error(`Fewer than ${count} ports are free from ${first} on. End the processes that use them.`)
    const port = first + Math.floor(Math.random() * width)
    if (given.has(port)) continue
    given.add(port)
    if (await isFree(port)) ports.push(port)
  }
  return ports
}

/** One such port. */
export async function freePort() {
  const [port] = await freePorts(1)
  return port
}
