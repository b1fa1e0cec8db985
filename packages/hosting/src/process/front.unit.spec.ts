import type { IncomingMessage, ServerResponse } from 'node:http'
import { createLogger } from '@assay/service-kit'
import { describe, expect, it } from 'vitest'
import { createFront } from './front.ts'

/** The response for `path`, without a socket. */
function asked(front: ReturnType<typeof createFront>, path: string): { status: number; text: string } {
  let text = ''
  const end = (body: string) => {
    text = body
  }
  const response = { statusCode: 0, setHeader: () => undefined, end }
  const request = { url: path, resume: () => undefined }
  front.listener(request as unknown as IncomingMessage, response as unknown as ServerResponse)
  return { status: response.statusCode, text }
}

describe('the listener during the start of a process', () => {
  const logged: string[] = []
  const logger = createLogger({ level: 'info', destination: { write: (line: string) => void logged.push(line) } })
  const front = () => createFront({ name: 'catalog', version: '1', logger })

  it('given a start that waits for a server, then the log names the server and the answer does not', () => {
    const starting = front()
    starting.setWaiting('Kafka at 10.1.2.3:9092 does not answer.')
    const { status, text } = asked(starting, '/readyz?x')
    expect(status).toBe(503)
    expect(text).toContain('catalog is not ready. It waits')
    expect(text).not.toMatch(/Kafka|10\.1/)
    expect(logged.join()).toContain('Kafka at 10.1.2.3:9092')
  })

  it('given a rebuild of the read models, then the answer says so', () => {
    const starting = front()
    starting.setWaiting('Kafka at 10.1.2.3:9092 does not answer.')
    starting.setStep(() => 'It rebuilds its read models.')
    expect(asked(starting, '/readyz').text).toContain('catalog is not ready. It rebuilds its read models.')
    expect(asked(starting, '/healthz').status).toBe(200)
    expect(asked(starting, '/x').status).toBe(503)
  })
})
