import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { configurations } from './configurations.ts'
import { environments, services } from './topology.ts'

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const composeText = textOf('docker-compose.yml')
const compose = z
  .strictObject({
    'x-service': z.unknown(),
    'x-stores': z.unknown(),
    'x-bus': z.unknown(),
    services: z.record(
      z.string(),
      z.looseObject({
        // All three numbers, because a tag with fewer numbers moves.
        image: z.string().regex(/:\d+\.\d+\.\d+(-[a-z-]+)?$/),
        environment: z.record(z.string(), z.string()).optional(),
        command: z.array(z.string()).optional(),
        read_only: z.boolean().optional(),
        volumes: z.array(z.string()).optional(),
        tmpfs: z.array(z.string()).optional(),
        depends_on: z.record(z.string(), z.strictObject({ condition: z.literal('service_healthy') })).optional(),
        restart: z.string().optional(),
        healthcheck: z.looseObject({ test: z.tuple([z.literal('CMD')], z.string()) }),
      }),
    ),
    volumes: z.record(z.string(), z.null()),
  })
  .parse(parse(composeText, { merge: true }))

const native = environments({
  kafkaBrokers: 'kafka:9092',
  eventStoreDbUrl: 'esdb://eventstoredb:2113?tls=false',
  mongoDbUrl: 'mongodb://mongodb:27017',
  ports: { gateway: 1, catalog: 2, policy: 3, execution: 4, sampling: 5, notification: 6 },
  identitySecret: 'a secret of at least thirty-two characters',
  admin: { accessKey: 'assay-test-access-key', secretKey: 'assay-test-secret-key' },
  resultsDir: '/data/results',
  samplesDir: '/data/samples',
  validationsDir: '/data/validations',
  allowedPaths: '/sources',
})

const names = (environment: object) => Object.keys(environment).toSorted()
const environmentOf = (service: string) => compose.services[service]?.environment ?? {}
/** The environment with the default of each `${NAME:-...}`, and a long value for each other variable. */
const filledIn = (environment: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(/\$\{\w+(:-)?([^}]*)\}/, (_, isDefault, text) => (isDefault ? text : 'x'.repeat(40))),
    ]),
  )

describe.each(services)('given the service %s in docker-compose.yml', (service) => {
  test('then its variables are those of the native topology, and the address for traces', () => {
    expect(names(environmentOf(service))).toEqual(names({ ...native[service], OTEL_EXPORTER_OTLP_ENDPOINT: '' }))
  })

  test('then its configuration knows all its variables, lacks none, and accepts their values', () => {
    const known = Object.keys(configurations[service].shape)
    expect(names(environmentOf(service)).filter((name) => !known.includes(name))).toEqual([])
    const read = configurations[service].safeParse(filledIn(environmentOf(service)))
    expect(read.error?.issues ?? []).toEqual([])
  })

  test('then it runs its own main, without a shell, on a read-only root', () => {
    const { command, read_only: isReadOnly, volumes = [], tmpfs = [] } = compose.services[service] ?? { image: '' }
    expect(command).toEqual([`services/${service}/src/main.ts`])
    expect(isReadOnly).toBe(true)
    expect([...volumes, ...tmpfs]).toContain('/tmp')
  })

  test('then the servers that it uses and waits for exist', () => {
    const hosts = Object.values(environmentOf(service)).flatMap((value) => {
      const host = /^(?:\w+:\/\/)?([a-z]+):\d+/.exec(value)?.[1]
      return host === undefined ? [] : [host]
    })
    expect(hosts.length).toBeGreaterThan(1)
    const waitsFor = Object.keys(compose.services[service]?.depends_on ?? {})
    expect([...hosts, ...waitsFor].filter((host) => compose.services[host] === undefined)).toEqual([])
    const servers = hosts.filter((host) => !Object.keys(configurations).includes(host))
    expect(waitsFor.toSorted()).toEqual(servers.toSorted())
  })
})

describe('given docker-compose.yml as a whole', () => {
  test('then it has the services of the native topology and three servers', () => {
    const servers = ['kafka', 'eventstoredb', 'mongodb']
    expect(names(compose.services)).toEqual([...services, ...servers].toSorted())
  })

  test('then .env.example has exactly its variables, and secrets have no value there', () => {
    const asked = [...composeText.matchAll(/\$\{(\w+)(:\?)?/g)]
    const lines = textOf('.env.example')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    expect(lines.map((line) => line.split('=')[0]).toSorted()).toEqual(
      [...new Set(asked.map(([, name]) => name))].toSorted(),
    )
    for (const [, name, isNeeded] of asked) if (isNeeded) expect(lines).toContain(`${name}=`)
  })

  test('then every mounted named volume is declared, and every declared one is mounted', () => {
    const mounted = Object.values(compose.services).flatMap(({ volumes = [] }) =>
      volumes.flatMap((volume) => /^([a-z-]+):/.exec(volume)?.[1] ?? []),
    )
    expect(mounted.toSorted()).toEqual(names(compose.volumes))
  })
})

test('given the health check of a service, then it can end a process that hangs, and the restart policy starts it again', () => {
  for (const service of services)
    expect(compose.services[service]).toMatchObject({
      healthcheck: { test: ['CMD', 'node', 'health.mjs'] },
      init: true,
      restart: 'unless-stopped',
    })
})
