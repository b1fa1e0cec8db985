import { connect } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'

/** How the clients of a bench connect: one token for each stream. */
export const clientsOf = z.object({ port: z.number(), tokens: z.array(z.string()), header: z.string() })

const { port, tokens, header } = clientsOf.parse(workerData)
let open = 0
let events = 0
/** Delays of the events that one client in 50 gets, in milliseconds. Their ids end with the time when they were due. */
const delays: number[] = []

for (const [n, token] of tokens.entries()) {
  const socket = connect(port, '127.0.0.1')
  const isSampled = n % 50 === 0
  let isOpen = false
  let rest = ''
  socket.write(`GET /catalog-server/api/events HTTP/1.1\r\nhost: bench\r\n${header}: ${token}\r\n\r\n`)
  socket.on('error', () => undefined)
  socket.on('data', (part) => {
    if (!isOpen && part.includes('events follow')) {
      isOpen = true
      open += 1
    }
    for (let at = part.indexOf('\nid: '); at >= 0; at = part.indexOf('\nid: ', at + 5)) events += 1
    if (!isSampled) return
    rest += part.toString('latin1')
    const whole = rest.lastIndexOf('\n\n')
    if (whole < 0) return
    for (const [, due] of rest.slice(0, whole).matchAll(/^id: \S+_(\d+)$/gm)) delays.push(Date.now() - Number(due))
    rest = rest.slice(whole)
  })
}
parentPort?.on('message', () => parentPort?.postMessage({ open, events, delays: delays.splice(0) }))
