import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import {
  AssayError,
  createLifecycle,
  createLogger,
  createMetrics,
  createOutages,
  isAssayError,
  type Lifecycle,
  type Listening,
  type LogLevel,
  listen,
  messageOf,
  type Part,
  type Service,
} from '@assay/service-kit'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { startTelemetry } from '@assay/service-kit/telemetry'
import type { Express } from 'express'
import { createServiceApp } from '../http/service-app.ts'
import { compactAfterStart } from './compact.ts'
import { createFront } from './front.ts'
import type { Ambient, Host } from './host.ts'
import { retryUntil } from './retry-until.ts'

/** Maximum time to stop all parts, with some reserve. The sender of SIGTERM waits for 45 s. */
const drainMs = 25_000
/**
 * How long a stop keeps idle connections open, so that a client's next request gets an answer with `Connection: close`.
 */
const lingerMs = 2_000

export interface ProcessConfig {
  PORT: number
  ASSAY_HOST: string
  ASSAY_START_WAIT_SECONDS: number
  ASSAY_LOG_LEVEL: LogLevel
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
}

/** The parts that a `main.ts` adds to its host. */
export interface Composed {
  service: Service
  /** Parts that are started before the service and stopped after it. */
  parts?: readonly Part[]
  /** Further routes of the service's own app, which are not in the table of operations. */
  mount?: (app: Express) => void
  /** Replaces the service's own app. `problems` is meant for `/readyz`. */
  app?: (problems: () => Promise<string[]>) => RequestListener
}

/**
 * Runs a service's process. It listens immediately, so that it counts as alive. Then it waits for its servers, rebuilds
 * missing read models, and starts. When it is ready, it prints its address. On SIGTERM or SIGINT it drains within 25 s:
 * it is no longer ready, accepts no new connections, finishes open requests, closes their connections, releases its
 * work, and exits. A second signal exits immediately.
 */
export function runService<H extends Host>(
  name: Service['name'],
  config: ProcessConfig,
  makeHost: (ambient: Ambient) => Promise<H>,
  compose: (host: H) => Promise<Composed> | Composed,
): void {
  const [clock, timers] = [systemClock, systemTimers]
  const written = createLogger({ level: config.ASSAY_LOG_LEVEL })
  const outages = createOutages({ logger: written, clock })
  const logger = outages.quiet(written)
  const stopping = new AbortController()
  let lifecycle: Lifecycle | undefined

  function stop(exitCode: number): void {
    if (stopping.signal.aborted) return
    stopping.abort()
    const late = setTimeout(() => process.exit(exitCode || 1), drainMs)
    late.unref()
    const leave = (code: number) => process.exit(code)
    // Without a lifecycle nothing was started.
    Promise.resolve(lifecycle?.stop()).then(
      () => leave(exitCode),
      () => leave(exitCode || 1),
    )
  }
  const asked = () => (stopping.signal.aborted ? process.exit(130) : stop(0))
  process.on('SIGTERM', asked)
  process.on('SIGINT', asked)
  const fail = (error: unknown) => {
    written.error({ error }, 'an unexpected error; the service stops')
    stop(1)
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)

  async function start(): Promise<void> {
    const { version, buildDate } = JSON.parse(
      readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
    )
    const collector = outages.server('the collector of traces')
    const telemetry = await startTelemetry(config.OTEL_EXPORTER_OTLP_ENDPOINT, {
      service: `assay-${name}`,
      version,
      onError: (message) => collector.failed(new AssayError('unavailable', message)),
      onSent: () => collector.answered(),
    })
    const metrics = createMetrics()
    metrics.measureProcess()
    const ambient: Ambient = { clock, timers, newId: uuidV7, logger, metrics, outages, version, buildDate }
    const timeoutMs = config.ASSAY_START_WAIT_SECONDS * 1000
    const front = createFront({ name, version, logger })
    const http: Listening = await listen(front.listener, { host: config.ASSAY_HOST, port: config.PORT })
    const onWait = (reason: string) => front.setWaiting(reason)
    const patience = { timeoutMs, clock, timers, logger, signal: stopping.signal, onWait }
    const host = await retryUntil(() => makeHost(ambient), patience)
    if (host === undefined) return
    const { service, parts = [], mount, app } = await compose(host)
    const problems = async () => {
      if (stopping.signal.aborted) return ['The service is stopping.']
      return [...(await host.problems()), ...(await service.problems())]
    }
    const listener = app?.(problems) ?? createServiceApp({ ...host, service, problems, mount })
    front.setStep(() => host.progress() ?? 'It is starting.')
    lifecycle = createLifecycle({
      parts: [
        { name: 'telemetry', stop: async () => telemetry?.stop(), stopWithinMs: 1_000 },
        ...host.parts,
        ...parts,
        {
          name: service.name,
          start: async () => {
            await retryUntil(() => service.start(), patience)
          },
          stop: () => service.stop(),
          stopWithinMs: 8_000,
        },
        {
          name: 'http',
          start: async () => front.open(listener),
          stop: () => http.close({ lingerMs }),
          stopWithinMs: 10_000,
        },
      ],
      timers,
      logger,
    })
    await lifecycle.start()
    if (stopping.signal.aborted) return
    process.stdout.write(`${name} is ready on http://${config.ASSAY_HOST}:${http.port}\n`)
    void compactAfterStart({ timers, logger, signal: stopping.signal })
  }

  start().catch((error: unknown) => {
    process.stderr.write(`The ${name} service did not start. ${messageOf(error)}\n`)
    if (!isAssayError(error) && error instanceof Error) process.stderr.write(`${error.stack}\n`)
    process.exit(1)
  })
}
