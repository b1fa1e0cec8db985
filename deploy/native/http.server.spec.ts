import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect } from 'vitest'
import { httpSuite } from '../../packages/testkit/src/http-suite/index.ts'
import { type MailSink, openMailSink } from '../../packages/testkit/src/mail-sink.ts'
import { freePorts } from '../../tools/servers/ports.mjs'
import { type Installation, type Servers, startInstallation, startServers } from './installation.fixture.ts'
import { environments, type RunningProcess, startService } from './topology.ts'

let folder: string
let servers: Servers
let mails: MailSink
let assay: Installation
/** A second gateway of the same Assay. */
let other: RunningProcess
let otherUrl: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-http-'))
  await mkdir(join(folder, 'shared'))
  ;[servers, mails] = await Promise.all([startServers(), openMailSink({ disabledCommands: ['STARTTLS'] })])
  assay = await startInstallation(servers, folder, {
    moreOfBus: { ASSAY_KAFKA_PARTITIONS: '3' },
    notifyAllowedAddresses: '127.0.0.1',
    smtpUrl: `smtp+plain://127.0.0.1:${mails.port}`,
    moreOfGateway: { ASSAY_FAILED_AUTHENTICATION_LIMIT: '0', ASSAY_RATE_LIMIT: '0' },
  })
  const [second = 0] = await freePorts(1)
  otherUrl = `http://127.0.0.1:${second}`
  const { topology } = assay
  other = startService('gateway', environments({ ...topology, ports: { ...topology.ports, gateway: second } }).gateway)
  await other.ready
}, 300_000)
afterAll(async () => {
  if (assay) {
    const failed = Object.values(assay.running).flatMap(({ service, output }) =>
      output()
        .split('\n')
        .filter((line) => line.includes('a request failed'))
        .map((line) => `${service}: ${line.slice(0, 1000)}\n`),
    )
    other?.kill()
    expect(await other?.exited).toBe(0)
    process.stdout.write(failed.slice(0, 20).join(''))
    await assay.stop()
  }
  await Promise.all([servers?.stop(), mails?.close()])
  await rm(folder, { recursive: true, force: true })
}, 120_000)

const open = async () => ({ baseUrl: assay.url, admin: assay.topology.admin, sharedFolder: join(folder, 'shared') })

/** A folder of the package that depends on kafkajs, so that a program in it can import kafkajs. */
const folderWithKafkajs = fileURLToPath(new URL('../../packages/message-bus/node_modules/.cache', import.meta.url))
const brokers = async () => {
  await mkdir(folderWithKafkajs, { recursive: true })
  return { address: servers.kafka.url, folder: await mkdtemp(join(folderWithKafkajs, 'events-')) }
}

httpSuite(open, { otherGateway: async () => ({ baseUrl: otherUrl }), brokers, hearing: async () => mails })
