import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { ClientRequest, IncomingMessage } from 'node:http'
import { context, DiagLogLevel, diag, propagation } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { recordSpans } from './trace.ts'

/** A running telemetry exporter. */
export interface Telemetry {
  /** Sends the buffered spans. */
  stop(): Promise<void>
}

/** Propagates traces of callers to callees and to the log, without recording spans. */
export function passTracesOn(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
}

/**
 * Calls `onSent` for each request that the collector accepted. Uses Node.js's diagnostics, because the SDK reports only
 * failures. Returns a function that stops it.
 */
function watchExports(endpoint: string, onSent: () => void): () => void {
  const { host } = new URL(endpoint)
  const channel = 'http.client.response.finish'
  const hear = (message: unknown) => {
    if (typeof message !== 'object' || message === null || !('request' in message) || !('response' in message)) return
    const { request, response } = message
    if (!(request instanceof ClientRequest) || !(response instanceof IncomingMessage)) return
    const { statusCode = 0 } = response
    if (request.getHeader('host') === host && statusCode >= 200 && statusCode < 300) onSent()
  }
  subscribe(channel, hear)
  return () => void unsubscribe(channel, hear)
}

/**
 * Records spans with the SDK of OpenTelemetry, but only if `endpoint` (`OTEL_EXPORTER_OTLP_ENDPOINT`) is set. Otherwise
 * the SDK is not loaded, and traces are only propagated. The SDK reads its other variables itself
 * (`OTEL_TRACES_SAMPLER`, `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_BSP_*`). By default it keeps
 * the caller's sampling decision, and records traces that begin here. Assay starts spans itself (`./trace.ts`), because
 * patching `http` and drivers costs four times the CPU of a small request. `onError` is called when spans could not be
 * sent, `onSent` when the collector has accepted some (not over gRPC).
 */
export async function startTelemetry(
  endpoint: string | undefined,
  options: { service: string; version: string; onError: (message: string) => void; onSent: () => void },
): Promise<Telemetry | undefined> {
  if (!endpoint) {
    passTracesOn()
    return undefined
  }
  const { startNodeSdk } = await import('@opentelemetry/sdk-node')
  const sdk = startNodeSdk({
    resourceAttributes: {
      'service.namespace': 'assay',
      'service.name': process.env.OTEL_SERVICE_NAME ?? options.service,
      'service.version': options.version,
    },
    metricReaders: [],
    logRecordProcessors: [],
  })
  const nothing = () => undefined
  const log = { error: options.onError, warn: nothing, info: nothing, debug: nothing, verbose: nothing }
  diag.setLogger(log, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true })
  recordSpans(true)
  const unhear = watchExports(process.env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || endpoint, options.onSent)
  return {
    async stop() {
      recordSpans(false)
      await sdk.shutdown()
      unhear()
    },
  }
}
