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
  /** Where the work comes from, when that was in another process or at another time. Absent: the work that is under way. */
  from?: TraceCarrier | undefined
  /** Semantic attributes. Asked for only when spans are recorded. */
  attributes?: (() => Attributes) | undefined
}

/** A piece of work. Whoever begins it ends it. */
export interface Work {
  /** Runs what belongs to it. */
  within<T>(work: () => T): T
  /** For whoever is called on its behalf. */
  carrier(): CurrentTrace
  /** A better name than that of its beginning, and what is known only at its end. */
  describe(name: string, attributes: () => Attributes): void
  end(failure?: unknown): void
}

let isRecording = false

/** Whether this process records spans; work is not wrapped for nothing where it does not. */
export const recordsSpans = (): boolean => isRecording

/** Says that an SDK of OpenTelemetry is registered, or no longer. */
export function recordSpans(on: boolean): void {
  isRecording = on
}

const nothing = () => undefined
const untraced: Work = { within: (work) => work(), carrier: currentTrace, describe: nothing, end: nothing }

function parentOf(from: TraceCarrier | undefined): Context {
  if (from === undefined) return context.active()
  return from.traceparent === undefined ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, from)
}

/** What `currentTrace` finds; empty where there is none. */
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

/** Begins a piece of work. Without an SDK it passes on where it comes from, and records nothing. */
export function beginWork(name: string, { kind, from, attributes }: WorkOptions): Work {
  if (!isRecording) {
    if (from === undefined) return untraced
    const parent = parentOf(from)
    // What runs here may have been woken by a request, whose trace it is no part of.
    if (parent === context.active()) return untraced
    return { ...untraced, within: (work) => context.with(parent, work), carrier: () => carrierOf(parent) }
  }
  const parent = parentOf(from)
  const options = { kind: spanKinds[kind], ...(attributes === undefined ? {} : { attributes: attributes() }) }
  return new RecordedWork(trace.getTracer('assay').startSpan(name, options, parent), parent)
}

/** Does a piece of work as a span. */
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

/** The trace of the work that this is called from within; empty when there is none. */
export function currentTrace(): CurrentTrace {
  return carrierOf(context.active())
}

/** Ids of the work that this is called from within, as logs have them. */
export function currentIds(): { trace_id: string; span_id: string } | undefined {
  const span = trace.getSpanContext(context.active())
  return span === undefined ? undefined : { trace_id: span.traceId, span_id: span.spanId }
}

/** Whether work is under way that belongs to a recorded trace. */
export function isWithinSpan(): boolean {
  return trace.getSpan(context.active())?.isRecording() === true
}
