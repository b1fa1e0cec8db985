/** What a stop has to end. */
export interface Telemetry {
  stop(): Promise<void>
}

/**
 * Tracing by OpenTelemetry, only where `endpoint` (`OTEL_EXPORTER_OTLP_ENDPOINT`) is set: nothing of it is loaded
 * otherwise, because always-on tracing costs four times the CPU of a small request. To be called before the HTTP app is
 * made, so that incoming requests are instrumented.
 */
export async function startTelemetry(
  endpoint: string | undefined,
  serviceName: string,
): Promise<Telemetry | undefined> {
  if (!endpoint) return undefined
  const [{ register }, { NodeSDK }, { OTLPTraceExporter }, { HttpInstrumentation }, { ExpressInstrumentation }] =
    await Promise.all([
      import('node:module'),
      import('@opentelemetry/sdk-node'),
      import('@opentelemetry/exporter-trace-otlp-proto'),
      import('@opentelemetry/instrumentation-http'),
      import('@opentelemetry/instrumentation-express'),
    ])
  // Without the loader hook, ES modules are silently not instrumented.
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url)
  const sdk = new NodeSDK({
    serviceName,
    traceExporter: new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` }),
    instrumentations: [new HttpInstrumentation(), new ExpressInstrumentation()],
    metricReaders: [],
  })
  sdk.start()
  return { stop: () => sdk.shutdown() }
}
