import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { operations } from '../../packages/contracts/src/index.ts'
import { standaloneConfig } from '../../services/standalone/src/config.ts'
import { configurations } from '../native/configurations.ts'
import { services } from '../native/topology.ts'
import { chartDir, valueSets } from './chart.ts'
import { run } from './tools.ts'

const chart = fileURLToPath(chartDir)
// The newest version whose schemas kubectl-validate includes.
const kubernetes = '1.30'
const folder = mkdtempSync(join(tmpdir(), 'assay-chart-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const values = (profile: string) => ['--values', join(chart, valueSets.get(profile) ?? `no values of ${profile}`)]
const isEmbedded = (profile: string) => profile.includes('embedded')
const render = (profile: string, more: readonly string[] = []) =>
  run('helm', ['template', 'prod', chart, '--kube-version', `${kubernetes}.0`, ...values(profile), ...more])

function validate(text: string) {
  const file = join(folder, 'rendered.yaml')
  writeFileSync(file, text)
  const schemas = fileURLToPath(new URL('./schemas', import.meta.url))
  return run('kubectl-validate', ['--version', kubernetes, '--local-crds', schemas, file])
}

const variable = z.union([
  z.strictObject({ name: z.string(), value: z.string() }),
  z.strictObject({
    name: z.string(),
    valueFrom: z.strictObject({
      secretKeyRef: z.strictObject({ name: z.string(), key: z.string(), optional: z.literal(true).optional() }),
    }),
  }),
])
const labels = z.record(z.string(), z.string())
const manifest = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), labels, annotations: labels.optional() }),
  spec: z.unknown().optional(),
  data: labels.optional(),
})
const workload = z.looseObject({
  selector: z.strictObject({ matchLabels: labels }),
  replicas: z.number().optional(),
  template: z.looseObject({
    metadata: z.looseObject({ labels }),
    spec: z.looseObject({
      automountServiceAccountToken: z.literal(false),
      enableServiceLinks: z.literal(false),
      terminationGracePeriodSeconds: z.literal(45),
      securityContext: z.looseObject({ runAsNonRoot: z.literal(true), runAsUser: z.literal(1000) }),
      containers: z.tuple([
        z.looseObject({
          image: z.string().regex(/:\d+\.\d+\.\d+$|@sha256:[0-9a-f]{64}$/),
          args: z.tuple([z.string()]),
          env: z.array(variable),
          startupProbe: z.looseObject({ httpGet: z.looseObject({ path: z.literal('/healthz') }) }),
          livenessProbe: z.looseObject({ httpGet: z.looseObject({ path: z.literal('/healthz') }) }),
          readinessProbe: z.looseObject({ httpGet: z.looseObject({ path: z.literal('/readyz') }) }),
          resources: z.strictObject({
            requests: z.strictObject({ cpu: z.string(), memory: z.string(), 'ephemeral-storage': z.string() }),
            limits: z.looseObject({ memory: z.string() }),
          }),
          securityContext: z.strictObject({
            allowPrivilegeEscalation: z.literal(false),
            readOnlyRootFilesystem: z.literal(true),
            capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
          }),
          volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })),
        }),
      ]),
      volumes: z.array(z.looseObject({ name: z.string() })),
    }),
  }),
})

function manifestsOf(text: string) {
  return (
    parseAllDocuments(text)
      .map((document) => document.toJS())
      .filter((each) => each !== null)
      .map((each) => manifest.parse(each))
      // The pods of `helm test` are not part of the product.
      .filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === undefined)
  )
}
const component = 'app.kubernetes.io/component'
const workloadsOf = (text: string) =>
  manifestsOf(text)
    .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
    .map((each) => ({ ...each, spec: workload.parse(each.spec), service: each.metadata.labels[component] ?? '' }))

describe.each([...valueSets.keys()])('given the profile %s', (profile) => {
  const rendered = render(profile)
  const workloads = workloadsOf(rendered.stdout)

  test('then helm lint accepts it', () => {
    const { code, stdout, stderr } = run('helm', [
      'lint',
      chart,
      '--strict',
      '--kube-version',
      `${kubernetes}.0`,
      ...values(profile),
    ])
    expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' })
  })

  test('then it renders valid Kubernetes objects without unknown fields', () => {
    expect(rendered).toMatchObject({ code: 0, stderr: '' })
    const { code, stdout, stderr } = validate(rendered.stdout)
    expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' })
  })

  test('then each service runs its own main, hardened, with probes, limits and a volume for temporary files', () => {
    expect(workloads.map(({ service }) => service).toSorted()).toEqual(
      isEmbedded(profile) ? ['embedded'] : services.toSorted(),
    )
    for (const { service, spec } of workloads) {
      const { containers, volumes } = spec.template.spec
      const [{ args, volumeMounts }] = containers
      expect(args).toEqual([`services/${service === 'embedded' ? 'standalone' : service}/src/main.ts`])
      expect(volumeMounts).toContainEqual({ name: 'temporary', mountPath: '/tmp' })
      const claimed = service === 'embedded' ? ['data'] : []
      expect(volumeMounts.map(({ name }) => name)).toEqual(expect.arrayContaining(volumes.map(({ name }) => name)))
      expect([...volumes.map(({ name }) => name), ...claimed].toSorted()).toEqual(
        volumeMounts.map(({ name }) => name).toSorted(),
      )
      expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels)
    }
  })

  test('then each configuration accepts the rendered environment', () => {
    const byName = { ...configurations, embedded: standaloneConfig }
    for (const { service, spec } of workloads) {
      const config = Object.entries(byName).find(([name]) => name === service)?.[1]
      if (config === undefined) throw new Error(`${service} has no configuration.`)
      const given = spec.template.spec.containers[0].env.flatMap((each) => {
        if ('value' in each) return each.value === '' ? [] : [[each.name, each.value] as const]
        return [[each.name, secretLike[each.valueFrom.secretKeyRef.key] ?? 'x'.repeat(40)] as const]
      })
      const names = given.map(([name]) => name)
      expect(names).toHaveLength(new Set(names).size)
      // Variables of Node itself; all others are Assay's.
      const known = ['NODE_EXTRA_CA_CERTS', ...Object.keys(config.shape), ...extraEnvOf(profile)]
      expect(names.filter((name) => !known.includes(name))).toEqual([])
      expect(config.safeParse(Object.fromEntries(given)).error?.issues ?? []).toEqual([])
    }
  })

  test('then given certificate authorities are mounted and trusted in every pod', () => {
    const given = profile === 'shared-volume' ? ['/certificates/company.pem'] : []
    for (const { spec } of workloads) {
      const [{ env, volumeMounts }] = spec.template.spec.containers
      expect(
        env.flatMap((each) => (each.name === 'NODE_EXTRA_CA_CERTS' && 'value' in each ? [each.value] : [])),
      ).toEqual(given)
      expect(volumeMounts.flatMap(({ name, mountPath }) => (name === 'certificates' ? [mountPath] : []))).toEqual(
        given.length > 0 ? ['/certificates'] : [],
      )
    }
  })

  test('then passwords come only from a Secret, which has all required keys', () => {
    const made = manifestsOf(rendered.stdout).filter(({ kind }) => kind === 'Secret')
    for (const { service, spec } of workloads) {
      const asked = spec.template.spec.containers[0].env.flatMap((each) =>
        'valueFrom' in each && !each.valueFrom.secretKeyRef.optional && !extraEnvOf(profile).includes(each.name)
          ? [each.valueFrom.secretKeyRef]
          : [],
      )
      const secret = made.find(({ metadata }) => metadata.labels[component] === service)
      if (secret === undefined) continue
      expect(new Set(asked.map(({ name }) => name))).toEqual(new Set([secret.metadata.name]))
      expect(Object.keys(secret.data ?? {}).toSorted()).toEqual(asked.map(({ key }) => key).toSorted())
    }
    expect(manifestsOf(rendered.stdout).filter(({ kind }) => kind === 'ConfigMap')).toEqual([])
    const plain = workloads.flatMap(({ spec }) =>
      spec.template.spec.containers[0].env.flatMap((each) => ('value' in each ? [each.name] : [])),
    )
    expect(
      plain.filter(
        (name) =>
          /SECRET|PASSWORD|ACCESS_KEY|_URL$/.test(name) &&
          !/^ASSAY_(CATALOG|POLICY|EXECUTION|SAMPLING|NOTIFICATION)_URL$/.test(name),
      ),
    ).toEqual([])
  })

  test('then every pod has a NetworkPolicy, and every service of several replicas a PodDisruptionBudget', () => {
    const names = (kind: string) =>
      manifestsOf(rendered.stdout)
        .filter((each) => each.kind === kind)
        .map(({ metadata }) => metadata.labels[component])
        .toSorted()
    const all = workloads.map(({ service }) => service).toSorted()
    expect(names('NetworkPolicy')).toEqual(all)
    expect(names('PodDisruptionBudget')).toEqual(isEmbedded(profile) ? [] : all)
    expect(names('ServiceAccount')).toEqual(all)
    expect(names('Service')).toEqual(all)
    const scaled = [...names('HorizontalPodAutoscaler'), ...names('ScaledObject')].toSorted()
    expect(scaled).toEqual(['embedded', 'shared-volume', 'ci-embedded', 'ci-distributed'].includes(profile) ? [] : all)
    expect(names('ScaledObject')).toEqual(profile === 'keda' ? all : [])
  })
})

/** The variables that a profile sets by `extraEnv`. */
const extraEnvOf = (profile: string) => (profile === 'keda' ? ['OTEL_EXPORTER_OTLP_HEADERS', 'NODE_OPTIONS'] : [])

const secretLike: Readonly<Record<string, string>> = {
  'eventstoredb-url': 'esdb://events:2113?tls=true',
  'mongodb-url': 'mongodb://documents:27017/',
}

describe('given the network policies', () => {
  const peers = z.array(
    z.looseObject({ from: z.array(z.looseObject({ podSelector: z.looseObject({ matchLabels: labels }) })).optional() }),
  )
  const rules = z.looseObject({ ingress: peers })
  const callersOf = (profile: string) =>
    Object.fromEntries(
      manifestsOf(render(profile).stdout)
        .filter(({ kind }) => kind === 'NetworkPolicy')
        .map(({ metadata, spec }) => [
          metadata.labels[component],
          rules
            .parse(spec)
            .ingress.flatMap(
              ({ from }) => from?.map(({ podSelector }) => podSelector.matchLabels[component]) ?? ['anybody'],
            ),
        ]),
    )

  test('then the gateway may reach all services, and policy and notification may reach execution', () => {
    expect(callersOf('distributed')).toEqual({
      gateway: ['anybody'],
      catalog: ['gateway'],
      policy: ['gateway'],
      execution: ['gateway', 'policy', 'notification'],
      sampling: ['gateway'],
      notification: ['gateway'],
    })
    expect(callersOf('embedded')).toEqual({ embedded: ['anybody'] })
  })
})

describe('given the example of KEDA', () => {
  const namespaces = z.looseObject({
    ingress: z.array(
      z.looseObject({
        from: z
          .array(z.looseObject({ namespaceSelector: z.looseObject({ matchLabels: labels }).optional() }))
          .optional(),
      }),
    ),
  })

  test('then its operator may read the waiting runs from /metrics of execution', () => {
    const [policy] = manifestsOf(render('keda').stdout).filter(
      ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.labels[component] === 'execution',
    )
    const from = namespaces.parse(policy?.spec).ingress.flatMap((rule) => rule.from ?? [])
    expect(from.map((peer) => peer.namespaceSelector?.matchLabels['kubernetes.io/metadata.name'])).toContain('keda')
  })
})

describe('given an ingress', () => {
  const ingress = z.looseObject({
    rules: z.array(
      z.looseObject({
        http: z.looseObject({ paths: z.array(z.looseObject({ path: z.string(), pathType: z.literal('Prefix') })) }),
      }),
    ),
  })

  test.each(['distributed', 'embedded'])(
    'when the profile is %s, then it passes only paths that require a key',
    (profile) => {
      const more = ['--set', 'gateway.ingress.enabled=true', '--set', 'gateway.ingress.hosts={assay.example.org}']
      const found = manifestsOf(render(profile, more).stdout).filter(({ kind }) => kind === 'Ingress')
      const paths = found.flatMap(({ spec }) => ingress.parse(spec).rules.flatMap(({ http }) => http.paths))
      const isPassed = (asked: string) => paths.some(({ path }) => asked === path || asked.startsWith(`${path}/`))
      const asked = [...operations.map(({ path }) => path), '/docs', '/docs/index.css', '/openapi.json']
      expect(asked.filter((path) => !isPassed(path))).toEqual([])
      expect(
        ['/', '/metrics', '/healthz', '/readyz', '/internal/prepare', '/internal/first-bad-rows'].filter(isPassed),
      ).toEqual([])
    },
  )
})

describe('given settings of a single service', () => {
  const workloadOf = (profile: string, service: string, more: readonly string[] = []) => {
    const found = workloadsOf(render(profile, more).stdout).find((each) => each.service === service)
    if (found === undefined) throw new Error(`${profile} has no ${service}.`)
    return found
  }

  test('then only that service has them: annotations, a node pool, further variables, its own Kafka user', () => {
    const gateway = workloadOf('keda', 'gateway').spec.template
    const execution = workloadOf('keda', 'execution').spec.template
    expect(gateway.metadata).toMatchObject({ annotations: { 'example.com/team': 'data' } })
    expect(gateway.spec.containers[0].env.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['NODE_OPTIONS', 'OTEL_EXPORTER_OTLP_HEADERS']),
    )
    expect(gateway.spec).not.toHaveProperty('nodeSelector')
    expect(execution.spec).toMatchObject({
      nodeSelector: { 'example.com/pool': 'large' },
      priorityClassName: 'business-critical',
      serviceAccountName: 'prod-assay-execution',
    })
    const usernames = manifestsOf(render('keda').stdout).flatMap(({ kind, metadata, data }) =>
      kind === 'Secret' ? [[metadata.labels[component], data?.['kafka-username']]] : [],
    )
    const name = (text: string) => Buffer.from(text).toString('base64')
    expect(Object.fromEntries(usernames)).toMatchObject({ gateway: name('assay'), execution: name('assay-execution') })
  })

  test('when only one node can mount the volume of a service, then it has one replica, which ends before the next starts', () => {
    const single = { replicas: 1, strategy: { type: 'Recreate' } }
    expect(workloadOf('ci-distributed', 'execution').spec).toMatchObject(single)
    expect(workloadOf('shared-volume', 'execution').spec).toMatchObject({ replicas: 2 })
    // The volume of the catalog has other access modes.
    expect(workloadOf('ci-distributed', 'catalog').spec).toMatchObject({ replicas: 2 })
    expect(workloadOf('shared-volume', 'gateway').spec).toMatchObject({
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
    })
  })

  test('when a second identity secret is set, then all services accept it', () => {
    const also = ['--set', `secrets.values.identity-secret-also=${'y'.repeat(32)}`]
    const secrets = manifestsOf(render('keda', also).stdout).filter(({ kind }) => kind === 'Secret')
    expect(secrets.map(({ data }) => data?.['identity-secret-also'] !== undefined)).toEqual(services.map(() => true))
  })

  test('then clients stay with one gateway, and resource requests fit on a small node', () => {
    const affinity = manifestsOf(render('distributed').stdout).flatMap(({ kind, metadata, spec }) =>
      kind === 'Service' && metadata.labels[component] === 'gateway' ? [spec] : [],
    )
    expect(affinity).toEqual([expect.objectContaining({ sessionAffinity: 'ClientIP' })])
    const cpu = services.map((service) => {
      const { cpu: text } = workloadOf('distributed', service).spec.template.spec.containers[0].resources.requests
      return text.endsWith('m') ? Number.parseInt(text, 10) : Number(text) * 1000
    })
    expect(2 * cpu.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1200)
  })
})

describe('given invalid values', () => {
  test.each([
    ['an unknown variable', 'services.catalog.settings.ASSAY_RUN_TIMEOUT_MINUTES=5', 'ASSAY_RUN_TIMEOUT_MINUTES'],
    ['a variable that another value sets', 'services.policy.settings.ASSAY_BUS=embedded', 'ASSAY_BUS'],
    ['a misspelt variable', 'kafka.broker=x', 'broker'],
    ['a threshold that is a number', 'autoscaling.lagThreshold=100', 'lagThreshold'],
    ['a cooldown that causes constant rebalancing', 'autoscaling.cooldownSeconds=30', 'cooldownSeconds'],
    ['a moving tag', 'image.tag=latest', 'tag'],
    ['no brokers', 'kafka.brokers=null', 'kafka.brokers is empty'],
    ['no secrets', 'secrets.existingSecret=', 'is missing: give it, or name a Secret'],
    ['no bucket', 'artifacts.s3.bucket=', 'artifacts.s3.bucket is missing'],
    ['a variable of Assay outside of its settings', 'extraEnv[0].name=ASSAY_BUS', 'extraEnv'],
  ])('when there is %s, then the error names it', (_, setting, sentence) => {
    const { code, stderr } = render('distributed', ['--set', setting])
    expect(code).not.toBe(0)
    expect(stderr).toContain(sentence)
  })
})

describe('given a field that Kubernetes does not know', () => {
  test.each([
    ['kind: Deployment', /^( +)containers:$/m, '$1containerz: []\n$1containers:'],
    ['kind: ScaledObject', /lagThreshold: "100"/, 'lagThreshold: 100'],
  ])('when it is in a %s, then the check finds it', (kind, what, instead) => {
    const text = render('keda').stdout
    expect(text).toContain(kind)
    const spoilt = text.replace(what, instead)
    expect(spoilt).not.toBe(text)
    expect(validate(spoilt).code).not.toBe(0)
  })
})
