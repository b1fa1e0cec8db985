import type { ServerResponse } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import type { Operation } from '@assay/contracts'
import type { Answer } from './handler.ts'
import { formatPositions, positionHeader, writtenHeader } from './positions.ts'

function send(stream: Readable, response: ServerResponse): void {
  if (response.req.method === 'HEAD') {
    // A response to HEAD has no body, so the stream is not read.
    stream.once('error', () => undefined).destroy()
    response.end()
    return
  }
  // If the stream fails, breaks the connection. Otherwise the caller would take the part for a complete body.
  pipeline(stream, response, () => undefined)
}

/** Sends the answer of a handler: JSON, stored text, a file, or 204. */
export function answer(operation: Operation, result: Answer<Operation>, response: ServerResponse): void {
  const { states = [], written = [] } = result
  if (states.length > 0) response.setHeader(positionHeader, formatPositions(new Map([[operation.service, states]])))
  if (written.length > 0) response.setHeader(writtenHeader, formatPositions(new Map([[operation.service, written]])))
  if (result.file) {
    const { name, contentType, sizeBytes, stream } = result.file
    response.setHeader('content-type', contentType)
    response.setHeader('content-length', sizeBytes)
    response.setHeader('cache-control', 'no-store')
    response.setHeader('content-disposition', `attachment; filename="${name.replace(/[^A-Za-z0-9._-]/g, '_')}"`)
    send(stream, response)
    return
  }
  if (result.events) {
    response.setHeader('content-type', 'text/event-stream; charset=utf-8')
    response.setHeader('cache-control', 'no-store')
    // Keeps proxies from buffering events.
    response.setHeader('x-accel-buffering', 'no')
    response.flushHeaders()
    send(result.events, response)
    return
  }
  if (!operation.answer) {
    response.statusCode = 204
    response.end()
    return
  }
  // Answers must not be cached: some contain secrets, and others depend on the permissions of the key.
  response.setHeader('cache-control', 'no-store')
  response.statusCode = operation.success ?? 200
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.end(result.text ?? JSON.stringify(result.body))
}
