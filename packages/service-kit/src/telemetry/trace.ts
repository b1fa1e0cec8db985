import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { messageOf } from '../errors.ts'

/** W3C Trace Context (https://www.w3.org/TR/trace-context/), as headers, messages and events carry it. */
export interface TraceCarrier {
  traceparent?: string | undefined
  tracestate?: string | undefined
}

export type WorkKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal'

const spanKinds: Record<WorkKind, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
}

export interface WorkOptions {
  kind: WorkKind
  /** The trace context of a cause in another process or in the past. Default: the current work. */
  from?: TraceCarrier | undefined
  /** Semantic attributes. Called only if spans are recorded. */
  attributes?: (() => Attributes) | undefined
}

/** A unit of work. The caller of `beginWork` must end it. */
export interface Work {
  /** Runs a part of the work. */
  within<T>(work: () => T): T
  /** The trace context for calls that are part of this work. */
  carrier(): CurrentTrace
  /** Sets the final name, and attributes that are known only at the end. */
  describe(name: string, attributes: () => Attributes): void
  end(failure?: unknown): void
}

let isRecording = false

/** Whether this process records spans. If not, work is not wrapped. */
export const recordsSpans = (): boolean => isRecording

/** Reports that an SDK of OpenTelemetry was registered or removed. */
export function recordSpans(on: boolean): void {
  isRecording = on
}

const nothing = () => undefined
const untraced: Work = { within: (work) => work(), carrier: currentTrace, describe: nothing, end: nothing }

function parentOf(from: TraceCarrier | undefined): Context {
  if (from === undefined) return context.active()
  return from.traceparent === undefined ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, from)
}

/** The current trace; empty if there is none. */
export interface CurrentTrace {
  traceparent?: string
  tracestate?: string
}

const carrierOf = (of: Context): CurrentTrace => {
  const carrier: CurrentTrace = {}
  propagation.inject(of, carrier)
  return carrier
}

class RecordedWork implements Work {
  readonly #span: Span
  readonly #context: Context

  constructor(span: Span, parent: Context) {
    this.#span = span
    this.#context = trace.setSpan(parent, span)
  }

  within<T>(work: () => T): T {
    return context.with(this.#context, work)
  }

  carrier(): CurrentTrace {
    return carrierOf(this.#context)
  }

  describe(name: string, attributes: () => Attributes): void {
    if (!this.#span.isRecording()) return
    this.#span.updateName(name)
    this.#span.setAttributes(attributes())
  }

  end(failure?: unknown): void {
    if (failure !== undefined) {
      const type = failure instanceof Error ? failure.name : 'error'
      const code = typeof failure === 'object' && failure !== null && 'code' in failure ? String(failure.code) : type
      this.#span.setAttribute('error.type', code)
      this.#span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(failure) })
    }
    this.#span.end()
  }
}

/** Begins a unit of work. Without an SDK it only propagates the trace context. */
export function beginWork(name: string, { kind, from, attributes }: WorkOptions): Work {
  if (!isRecording) {
    if (from === undefined) return untraced
    const parent = parentOf(from)
    // Leaves the current trace, because a request may have woken this work without being its cause.
    if (parent === context.active()) return untraced
    return { ...untraced, within: (work) => context.with(parent, work), carrier: () => carrierOf(parent) }
  }
  const parent = parentOf(from)
  const options = { kind: spanKinds[kind], ...(attributes === undefined ? {} : { attributes: attributes() }) }
  return new RecordedWork(trace.getTracer('assay').startSpan(name, options, parent), parent)
}

/** Runs work as a span. */
export async function traced<T>(name: string, options: WorkOptions, work: () => Promise<T>): Promise<T> {
  const begun = beginWork(name, options)
  try {
    const result = await begun.within(work)
    begun.end()
    return result
  } catch (error) {
    begun.end(error)
    throw error
  }
}

/** The trace context of the current work; empty if there is none. */
export function currentTrace(): CurrentTrace {
  return carrierOf(context.active())
}

/** The ids of the current work, as in logs. */
export function currentIds(): { trace_id: string; span_id: string } | undefined {
  const span = trace.getSpanContext(context.active())
  return span === undefined ? undefined : { trace_id: span.traceId, span_id: span.spanId }
}

/** Whether the current work belongs to a recorded trace. */
export function isWithinSpan(): boolean {
  return trace.getSpan(context.active())?.isRecording() === true
}
