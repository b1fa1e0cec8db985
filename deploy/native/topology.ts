import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** In the order in which they are started. */
export const services = ['execution', 'catalog', 'policy', 'sampling', 'notification', 'gateway'] as const
export type ServiceProcess = (typeof services)[number]

export interface Topology {
  /** `host:port`, comma-separated. */
  kafkaBrokers: string
  eventStoreDbUrl: string
  mongoDbUrl: string
  /** The port of each service, on the loopback interface. */
  ports: Readonly<Record<ServiceProcess, number>>
  /** The address at which others reach a service, if it is not its own port: a proxy in front of its replicas. */
  urls?: Readonly<Partial<Record<ServiceProcess, string>>>
  /** At least 32 characters. */
  identitySecret: string
  admin: { accessKey: string; secretKey: string }
  /** Results of runs; every replica of the execution service must see it. */
  resultsDir: string
  /** Rows of samples; every replica of the sampling service must see it. */
  samplesDir: string
  /** Rows of validations; every replica of the catalog must see it. */
  validationsDir: string
  /** Variables of a bucket that replaces these folders. */
  bucket?: Readonly<Record<string, string>>
  /** Folders allowed for sources, as in `ASSAY_ALLOWED_PATHS`; absent: any, for every tenant. */
  allowedPaths?: string
  /** Hosts allowed for databases as sources, as in `ASSAY_ALLOWED_HOSTS`; absent: none. */
  allowedHosts?: string
  /**
   * Seals the passwords of sources and the secrets of channels; absent: sources and channels with secrets are refused.
   */
  sealingKey?: string
  /** Networks that notifications may be sent to, as in `ASSAY_NOTIFY_ALLOWED_ADDRESSES`; absent: public ones only. */
  notifyAllowedAddresses?: string
  /** The mail server, as in `ASSAY_SMTP_URL`; absent: e-mail channels are refused. */
  smtpUrl?: string
  /** Prefix of the names of topics, groups and databases, so that several installations can share the servers. */
  prefix?: string
  /** More variables, for all services. They take precedence over those with defaults above. */
  more?: Readonly<Record<string, string>>
  /** More variables, for the services that use the bus. */
  moreOfBus?: Readonly<Record<string, string>>
  /** More variables of the gateway. */
  moreOfGateway?: Readonly<Record<string, string>>
}

type Environment = Record<string, string>

const host = '127.0.0.1'

/** The environment of each service: the variables that a compose file sets, with addresses of this machine. */
export function environments(topology: Topology): Record<ServiceProcess, Environment> {
  const { ports, prefix, admin, allowedPaths = '*=/', more = {} } = topology
  const urlOf = (service: ServiceProcess) => topology.urls?.[service] ?? `http://${host}:${ports[service]}`
  const stores = (service: ServiceProcess): Environment => ({
    ...more,
    PORT: String(ports[service]),
    ASSAY_HOST: host,
    ASSAY_IDENTITY_SECRET: topology.identitySecret,
    ASSAY_EVENT_STORE: 'eventstoredb',
    ASSAY_EVENTSTOREDB_URL: topology.eventStoreDbUrl,
    ASSAY_DOCUMENTS: 'mongodb',
    ASSAY_MONGODB_URL: topology.mongoDbUrl,
    ASSAY_MONGODB_DATABASE: `${prefix ?? 'assay'}_${service}`,
  })
  const bus: Environment = {
    ...topology.moreOfBus,
    ASSAY_BUS: 'kafka',
    ASSAY_KAFKA_BROKERS: topology.kafkaBrokers,
    ...(prefix === undefined ? {} : { ASSAY_KAFKA_PREFIX: `${prefix}.` }),
  }
  const artifacts = (folder: string): Environment =>
    topology.bucket ?? { ASSAY_ARTIFACTS: 'filesystem', ASSAY_RESULTS_DIR: folder }
  const sealing: Environment = { ASSAY_SEALING_KEY: topology.sealingKey ?? '', ASSAY_SEALING_KEY_ALSO: '' }
  // The same for all services that open sources.
  const engine: Environment = {
    ASSAY_ALLOWED_PATHS: allowedPaths,
    ASSAY_ALLOWED_BROKERS: '',
    ASSAY_ALLOWED_HOSTS: topology.allowedHosts ?? '',
    ...sealing,
  }
  return {
    execution: { ...engine, ...stores('execution'), ...bus, ...artifacts(topology.resultsDir) },
    catalog: { ...engine, ...stores('catalog'), ...bus, ...artifacts(topology.validationsDir) },
    policy: { ...stores('policy'), ...bus, ASSAY_EXECUTION_URL: urlOf('execution') },
    sampling: { ...engine, ...stores('sampling'), ...bus, ...artifacts(topology.samplesDir) },
    notification: {
      ...sealing,
      ASSAY_NOTIFY_BAD_ROWS: 'on',
      ASSAY_NOTIFY_ALLOWED_ADDRESSES: topology.notifyAllowedAddresses ?? '',
      ASSAY_SMTP_URL: topology.smtpUrl ?? '',
      ASSAY_SMTP_FROM: '',
      ASSAY_PUBLIC_URL: '',
      ...stores('notification'),
      ...bus,
      ASSAY_EXECUTION_URL: urlOf('execution'),
    },
    gateway: {
      ...topology.moreOfGateway,
      ...stores('gateway'),
      ...bus,
      ASSAY_ADMIN_ACCESS_KEY: admin.accessKey,
      ASSAY_ADMIN_SECRET_KEY: admin.secretKey,
      ASSAY_CATALOG_URL: urlOf('catalog'),
      ASSAY_POLICY_URL: urlOf('policy'),
      ASSAY_EXECUTION_URL: urlOf('execution'),
      ASSAY_SAMPLING_URL: urlOf('sampling'),
      ASSAY_NOTIFICATION_URL: urlOf('notification'),
    },
  }
}

export interface RunningProcess {
  service: ServiceProcess
  pid: number
  /** The output so far. */
  output(): string
  /** Resolves when the service reports that it is ready; rejects if it ends before. */
  ready: Promise<void>
  /** The exit code; null if a signal ended the process. */
  exited: Promise<number | null>
  kill(signal?: NodeJS.Signals): void
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)))
}

/** The folder of Node's compile cache, shared with `npm start`, so that types are stripped only once. */
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/node-compile', import.meta.url))

const withParent = new URL('./with-parent.mjs', import.meta.url).href

/**
 * One service as a separate process, which ends with this one, even if this one is killed. It inherits only PATH, HOME,
 * TMPDIR and NODE_COMPILE_CACHE.
 */
export function startService(
  service: ServiceProcess,
  environment: Environment,
  onOutput: (text: string) => void = () => undefined,
): RunningProcess {
  const main = fileURLToPath(new URL(`../../services/${service}/src/main.ts`, import.meta.url))
  const { PATH = '', HOME = '', TMPDIR, NODE_COMPILE_CACHE = compileCache } = process.env
  const child = spawn(process.execPath, ['--import', withParent, main], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...(TMPDIR ? { TMPDIR } : {}), ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  const exited = exitOf(child)
  const ready = new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer) => {
      output += chunk.toString()
      onOutput(chunk.toString())
      if (output.includes(`${service} is ready on `)) resolve()
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    void exited.then((code) => reject(new Error(`${service} ended with ${code} before it was ready:\n${output}`)))
  })
  // Prevents an unhandled rejection for callers that do not wait for `ready`; `exited` also reports an early end.
  ready.catch(() => undefined)
  return {
    service,
    pid: child.pid ?? 0,
    output: () => output,
    ready,
    exited,
    kill: (signal = 'SIGTERM') => void child.kill(signal),
  }
}

/** Starts all services; resolves when all are ready. If one fails to start, stops the others and rejects. */
export async function startTopology(
  topology: Topology,
  onOutput?: (text: string) => void,
): Promise<Record<ServiceProcess, RunningProcess>> {
  const environment = environments(topology)
  const start = (service: ServiceProcess) => startService(service, environment[service], onOutput)
  const running = {
    execution: start('execution'),
    catalog: start('catalog'),
    policy: start('policy'),
    sampling: start('sampling'),
    notification: start('notification'),
    gateway: start('gateway'),
  }
  try {
    await Promise.all(Object.values(running).map(({ ready }) => ready))
    return running
  } catch (error) {
    await stopTopology(running)
    throw error
  }
}

/**
 * Sends SIGTERM to all, the gateway first, so that no new requests arrive. Returns the exit codes once the last process has
 * ended.
 */
export async function stopTopology(
  running: Readonly<Record<ServiceProcess, RunningProcess>>,
): Promise<Record<string, number | null>> {
  const codes: Record<string, number | null> = {}
  for (const service of services.toReversed()) {
    running[service].kill()
    codes[service] = await running[service].exited
  }
  return codes
}
