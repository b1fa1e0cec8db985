import { messageOf } from '../errors.ts'
import { type BeginSpan, parseTraceparent, type SpanKind, useTracer } from './trace.ts'

/** What a stop has to end. */
export interface Telemetry {
  /** Sends what is still here. */
  stop(): Promise<void>
}

/**
 * Tracing by OpenTelemetry, only where `endpoint` (`OTEL_EXPORTER_OTLP_ENDPOINT`) is set: nothing of it is loaded
 * otherwise. The spans are those that the HTTP app and the message bus begin by themselves (`./trace.ts`): patching
 * `http` and `express` from outside costs four times the CPU of a small request, and does not see what comes by the bus.
 */
export async function startTelemetry(
  endpoint: string | undefined,
  serviceName: string,
): Promise<Telemetry | undefined> {
  if (!endpoint) return undefined
  const [api, { NodeSDK }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
  ])
  const sdk = new NodeSDK({
    serviceName,
    traceExporter: new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` }),
    instrumentations: [],
    metricReaders: [],
  })
  sdk.start()
  const tracer = api.trace.getTracer('assay')
  const kinds: Record<SpanKind, number> = {
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
    consumer: api.SpanKind.CONSUMER,
  }
  const behind = (parent: string | undefined) => {
    const parsed = parseTraceparent(parent)
    if (parsed === undefined) return api.ROOT_CONTEXT
    const { traceId, spanId, flags } = parsed
    // One that does not ask to be recorded is no sign that nobody wants to see it: whoever set the endpoint does.
    const traceFlags = Number.parseInt(flags, 16) | api.TraceFlags.SAMPLED
    return api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
  }
  const begin: BeginSpan = (name, kind, parent) => {
    const span = tracer.startSpan(name, { kind: kinds[kind] }, behind(parent))
    const { traceId, spanId, traceFlags } = span.spanContext()
    return {
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      name: (better) => span.updateName(better),
      end(failure) {
        if (failure !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR, message: messageOf(failure) })
        span.end()
      },
    }
  }
  useTracer(begin)
  return {
    async stop() {
      useTracer(undefined)
      await sdk.shutdown()
    },
  }
}
