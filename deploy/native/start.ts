import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { services, startTopology, stopTopology } from './topology.ts'

const usage = `Usage: node deploy/native/start.ts --kafka <host:port,...> --eventstoredb <url> --mongodb <url>
         [--port 8888] [--results ./data/results] [--samples ./data/samples]
         [--validations ./data/validations] [--prefix <name>]

Starts the six services as processes of this machine, on loopback, until SIGINT or SIGTERM.
ASSAY_ADMIN_ACCESS_KEY, ASSAY_ADMIN_SECRET_KEY and ASSAY_IDENTITY_SECRET come from the environment. Missing ones are
generated, and the administrator's pair is then printed. All other variables that begin with ASSAY_, such as
ASSAY_SEALING_KEY, ASSAY_ALLOWED_HOSTS or ASSAY_SMTP_URL, are given to the services.
`

const { values } = parseArgs({
  options: {
    kafka: { type: 'string' },
    eventstoredb: { type: 'string' },
    mongodb: { type: 'string' },
    port: { type: 'string', default: '8888' },
    results: { type: 'string', default: './data/results' },
    samples: { type: 'string', default: './data/samples' },
    validations: { type: 'string', default: './data/validations' },
    prefix: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const { kafka, eventstoredb, mongodb } = values
if (values.help || !kafka || !eventstoredb || !mongodb) {
  process.stderr.write(usage)
  process.exit(values.help ? 0 : 78)
}

const text = () => randomBytes(32).toString('base64url')
const { ASSAY_ADMIN_ACCESS_KEY, ASSAY_ADMIN_SECRET_KEY, ASSAY_IDENTITY_SECRET, ...given } = process.env
const more = Object.fromEntries(
  Object.entries(given).flatMap(([name, value]) => (name.startsWith('ASSAY_') && value ? [[name, value]] : [])),
)
const admin = { accessKey: ASSAY_ADMIN_ACCESS_KEY ?? text(), secretKey: ASSAY_ADMIN_SECRET_KEY ?? text() }
const [resultsDir, samplesDir] = [resolve(values.results), resolve(values.samples)]
const validationsDir = resolve(values.validations)
for (const folder of [resultsDir, samplesDir, validationsDir]) mkdirSync(folder, { recursive: true })
const port = Number(values.port)
const running = await startTopology(
  {
    kafkaBrokers: kafka,
    eventStoreDbUrl: eventstoredb,
    mongoDbUrl: mongodb,
    ports: {
      gateway: port,
      catalog: port + 1,
      policy: port + 2,
      execution: port + 3,
      sampling: port + 4,
      notification: port + 5,
    },
    identitySecret: ASSAY_IDENTITY_SECRET ?? text(),
    admin,
    resultsDir,
    samplesDir,
    validationsDir,
    more,
    ...(values.prefix === undefined ? {} : { prefix: values.prefix }),
  },
  (chunk) => process.stderr.write(chunk),
)
process.stdout.write(`Assay is ready on http://127.0.0.1:${port}\n`)
if (!ASSAY_ADMIN_ACCESS_KEY || !ASSAY_ADMIN_SECRET_KEY)
  process.stdout.write(`accessKey: ${admin.accessKey}\nsecretKey: ${admin.secretKey}\n`)

let isStopping = false
async function stop(code: number): Promise<void> {
  if (isStopping) return
  isStopping = true
  await stopTopology(running)
  process.exit(code)
}
process.on('SIGINT', () => void stop(0))
process.on('SIGTERM', () => void stop(0))
for (const service of services)
  void running[service].exited.then((code) => {
    if (!isStopping) process.stderr.write(`${service} ended with ${code}; stopping the others.\n`)
    return stop(1)
  })
