import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'

/** What a span is of, as OpenTelemetry names them: an answered request, an asked one, a handled message. */
export type SpanKind = 'server' | 'client' | 'consumer'

/** A piece of work in a trace. */
export interface Span {
  /** W3C Trace Context (https://www.w3.org/TR/trace-context/), for whoever is called from within it. */
  traceparent: string
  /** A better name than that of its beginning. */
  name(name: string): void
  end(failure?: unknown): void
}

/** Begins a span behind `parent`, or a trace where there is none. */
export type BeginSpan = (name: string, kind: SpanKind, parent: string | undefined) => Span

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** The parts of a `traceparent`; `undefined` for anything that is none. Later versions may have more parts than four. */
export function parseTraceparent(
  text: string | undefined,
): { traceId: string; spanId: string; flags: string } | undefined {
  if (text === undefined) return undefined
  const [, version, traceId = '', spanId = '', flags = '', rest] = form.exec(text) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, flags }
}

/** Random bytes are drawn many at once: each call of the generator costs more than the bytes. */
let drawn = Buffer.alloc(0)
let used = 0

function randomHex(bytes: number): string {
  if (used + bytes > drawn.length) {
    drawn = randomBytes(4096)
    used = 0
  }
  used += bytes
  return drawn.toString('hex', used - bytes, used)
}

const nothing = () => undefined

/** Without a tracer: ids that are passed on, and nothing else. */
const passOn: BeginSpan = (_name, _kind, parent) => {
  const before = parseTraceparent(parent)
  const traceId = before?.traceId ?? randomHex(16)
  return {
    // Nobody has recorded a span: whoever began the trace has said whether it is to be.
    traceparent: `00-${traceId}-${randomHex(8)}-${before?.flags ?? '00'}`,
    name: nothing,
    end: nothing,
  }
}

const running = new AsyncLocalStorage<Span>()
let begin: BeginSpan = passOn

/** Lets a tracer make the spans of this process. */
export function useTracer(tracer: BeginSpan | undefined): void {
  begin = tracer ?? passOn
}

/** Of the work that this is called from within. */
export function currentTraceparent(): string | undefined {
  return running.getStore()?.traceparent
}

/** Begins a span; `within` it runs what belongs to it. Whoever begins it ends it. */
export function beginSpan(
  name: string,
  kind: SpanKind,
  parent: string | undefined,
): { span: Span; within<T>(work: () => T): T } {
  const span = begin(name, kind, parent)
  return { span, within: (work) => running.run(span, work) }
}

/** Does a piece of work as a span behind `parent`. */
export async function traced<T>(
  name: string,
  kind: SpanKind,
  parent: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const { span, within } = beginSpan(name, kind, parent)
  try {
    const result = await within(work)
    span.end()
    return result
  } catch (error) {
    span.end(error)
    throw error
  }
}
