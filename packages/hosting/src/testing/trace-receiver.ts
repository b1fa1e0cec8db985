import { createServer } from 'node:http'

/**
 * A span as a collector receives it. Ids are in hex. `parentId` is empty for a root. `attributes` contains only texts.
 */
export interface ReceivedSpan {
  service: string
  name: string
  traceId: string
  spanId: string
  parentId: string
  kind: string
  traceState: string
  attributes: Readonly<Record<string, string>>
}

export interface TraceReceiver {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  url: string
  spans(): readonly ReceivedSpan[]
  stop(): Promise<void>
}

interface Field {
  number: number
  /** Only for length-delimited fields; otherwise empty. */
  value: Buffer
  /** Only for varints. */
  whole?: number
}

/** The fields of a Protocol Buffers message (https://protobuf.dev/programming-guides/encoding/). */
function fieldsOf(bytes: Buffer): Field[] {
  const fields: Field[] = []
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0
      value += (byte & 127) * 2 ** shift
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const tag = varint()
    switch (tag & 7) {
      case 0:
        fields.push({ number: tag >>> 3, value: Buffer.alloc(0), whole: varint() })
        break
      case 1:
        at += 8
        break
      case 5:
        at += 4
        break
      default: {
        const length = varint()
        fields.push({ number: tag >>> 3, value: bytes.subarray(at, at + length) })
        at += length
      }
    }
  }
  return fields
}

const all = (bytes: Buffer, number: number) =>
  fieldsOf(bytes).flatMap((field) => (field.number === number ? [field.value] : []))
const one = (bytes: Buffer, number: number) => all(bytes, number)[0] ?? Buffer.alloc(0)

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer']

const textsOf = (attributes: readonly Buffer[]): Record<string, string> =>
  Object.fromEntries(attributes.map((each) => [one(each, 1).toString(), one(one(each, 2), 1).toString()]))

/** The spans of an ExportTraceServiceRequest (opentelemetry-proto, trace/v1). */
function spansOf(request: Buffer): ReceivedSpan[] {
  return all(request, 1).flatMap((ofResource) => {
    const { 'service.name': service = '' } = textsOf(all(one(ofResource, 1), 1))
    return all(ofResource, 2).flatMap((ofScope) =>
      all(ofScope, 2).map((span) => ({
        service,
        name: one(span, 5).toString(),
        traceId: one(span, 1).toString('hex'),
        spanId: one(span, 2).toString('hex'),
        parentId: one(span, 4).toString('hex'),
        kind: kinds[fieldsOf(span).find(({ number }) => number === 6)?.whole ?? 0] ?? '',
        traceState: one(span, 3).toString(),
        attributes: textsOf(all(span, 9)),
      })),
    )
  })
}

/** Receives traces by OTLP over HTTP, on loopback, and keeps them. */
export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      spans.push(...spansOf(Buffer.concat(chunks)))
      response.setHeader('content-type', 'application/x-protobuf')
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    spans: () => spans,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
