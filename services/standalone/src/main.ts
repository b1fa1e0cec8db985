import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { compactAfterStart } from '@assay/hosting'
import {
  AssayError,
  createLifecycle,
  createLogger,
  createOutages,
  forgetSecrets,
  isAssayError,
  type Listening,
  listen,
  loadConfig,
  messageOf,
} from '@assay/service-kit'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { startTelemetry } from '@assay/service-kit/telemetry'
import { compose } from './compose.ts'
import { type StandaloneConfig, standaloneConfig } from './config.ts'
import { firstSteps } from './first-start/first-steps.ts'
import { terminalNarrator } from './first-start/terminal.ts'

/** Exit code of an invalid configuration (sysexits: EX_CONFIG). */
const badConfiguration = 78

function readConfig(): StandaloneConfig {
  try {
    const config = loadConfig(standaloneConfig, Object.keys(standaloneConfig.shape), process.env)
    forgetSecrets(process.env)
    return config
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`)
    process.exit(badConfiguration)
  }
}

const usage = `Usage: npm start [-- <folder or file> ...]

Crawls each folder or file as an assembly of its own; without any, the first start crawls bundled samples.
Settings come from the environment: PORT, ASSAY_DATA_DIR, ASSAY_SOURCES ... (docs/operations.md lists them).
`

/** The paths on the command line. An argument that looks like an option prints the usage. */
function readPaths(): string[] {
  const paths = process.argv.slice(2)
  const option = paths.find((path) => path.startsWith('-'))
  if (option === undefined) return paths
  const asked = option === '--help' || option === '-h'
  ;(asked ? process.stdout : process.stderr).write(asked ? usage : `${option} is not known.\n${usage}`)
  return process.exit(asked ? 0 : badConfiguration)
}

async function main(): Promise<void> {
  const paths = readPaths()
  const config = readConfig()
  const { version, buildDate } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  const written = createLogger({ level: config.ASSAY_LOG_LEVEL })
  const outages = createOutages({ logger: written, clock: systemClock })
  const logger = outages.quiet(written)
  const collector = outages.server('the collector of traces')
  const telemetry = await startTelemetry(config.OTEL_EXPORTER_OTLP_ENDPOINT, {
    service: 'assay',
    version,
    onError: (message) => collector.failed(new AssayError('unavailable', message)),
    onSent: () => collector.answered(),
  })
  const narrator = terminalNarrator(process.stdout)
  const system = await compose(config, {
    clock: systemClock,
    timers: systemTimers,
    newId: uuidV7,
    newSecret: () => randomBytes(32),
    logger,
    outages,
    version,
    buildDate,
  })
  let http: Listening | undefined
  const lifecycle = createLifecycle({
    parts: [
      { name: 'telemetry', stop: async () => telemetry?.stop() },
      ...system.parts,
      {
        name: 'http',
        start: async () => {
          http = await listen(system.app, { host: config.ASSAY_HOST, port: config.PORT })
        },
        stop: async () => http?.close(),
      },
    ],
    timers: systemTimers,
    logger,
  })

  const stopping = new AbortController()
  let stopAskedAt = 0
  const stop = () => {
    // A second signal ends the process immediately. Ctrl-C arrives twice, from the terminal and forwarded by the bootstrap,
    // so signals within a second count as one.
    if (stopping.signal.aborted) {
      if (systemClock.now() - stopAskedAt > 1000) process.exit(130)
      return
    }
    stopAskedAt = systemClock.now()
    stopping.abort()
    lifecycle.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  process.on('SIGHUP', stop)

  const fail = (error: unknown) => {
    written.error({ error }, 'an unexpected error; Assay stops')
    process.exitCode = 1
    void lifecycle.stop().finally(() => process.exit(1))
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)

  await lifecycle.start()
  void compactAfterStart({ timers: systemTimers, logger, signal: stopping.signal })
  await firstSteps({
    system,
    url: `http://${config.ASSAY_HOST}:${http?.port}`,
    sources: [...paths, ...(config.ASSAY_SOURCES ?? [])].map((path) => resolve(path)),
    samples: config.ASSAY_SAMPLES === 'on',
    narrator,
    newId: uuidV7,
    pause: () => systemTimers.sleep(50, stopping.signal),
    signal: stopping.signal,
  })
}

main().catch((error: unknown) => {
  process.stderr.write(`Assay did not start. ${messageOf(error)}\n`)
  if (!isAssayError(error) && error instanceof Error) process.stderr.write(`${error.stack}\n`)
  process.exit(1)
})
