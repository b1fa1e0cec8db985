import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { image } from '../containers/docker.ts'
import { run as runTool, toolsDir } from '../helm/tools.ts'
import { services } from '../native/topology.ts'
import { startCluster } from './cluster.ts'
import { type Seen, seenShape } from './load.ts'
import { serverImages, servers, volume } from './servers.ts'
import { binaries, cacheDir } from './tools.ts'

// Tests the chart on a real Kubernetes, in a separate network namespace (main.ts): install, flow, killed pods, rollouts,
// scale, upgrade and uninstall. Prints its checks, and exits with 1 if one fails.
const chart = fileURLToPath(new URL('../helm/assay/', import.meta.url))
const pair = { accessKey: 'ci-access-key-of-tests', secretKey: 'ci-secret-key-of-tests' }
const api = '/catalog-server/api'
const wrong: string[] = []
const began = Date.now()
// The time limits apply to the pods, so other work on this machine must not slow down the node or the load.
setPriority(-10)

function say(text: string): void {
  process.stdout.write(`${((Date.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}\n`)
}
function expect(isTrue: boolean, text: string): void {
  say(`${isTrue ? 'ok    ' : 'WRONG '} ${text}`)
  if (isTrue) return
  wrong.push(text)
  keepLogs()
}

async function until<T>(what: string, read: () => Promise<T | undefined> | T | undefined, seconds = 120): Promise<T> {
  const from = Date.now()
  for (;;) {
    const found = await read()
    if (found !== undefined && found !== false) return found
    if (Date.now() - from > seconds * 1000) throw new Error(`${what} took longer than ${seconds} s.`)
    await delay(250)
  }
}

const folder = mkdtempSync(join(cacheDir, 'run-'))
const sources = join(folder, 'sources')
const kept = ['results', 'samples', 'validations'] as const
const volumes = {
  results: join(folder, 'results'),
  samples: join(folder, 'samples'),
  validations: join(folder, 'validations'),
}
for (const path of [sources, ...Object.values(volumes)]) mkdirSync(path, { recursive: true })
const rows = Array.from({ length: 200 }, (_, at) => `${at},${at % 10 === 0 ? '' : `name ${at}`}`)
writeFileSync(join(sources, 'orders.csv'), ['id,name', ...rows].join('\n'))
chownSync(volumes.samples, 1000, 1000)
chownSync(volumes.validations, 1000, 1000)

const cluster = await startCluster(folder, [image, 'assay-local/pause:1', ...serverImages])
const { kubectl } = cluster
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cluster.stop().then(() => process.exit(1)))
const inAssay = (...args: string[]) => kubectl('--namespace', 'assay', ...args)

function helm(...args: string[]): void {
  const env = { KUBECONFIG: join(folder, 'kubeconfig') }
  const { code, stdout, stderr } = runTool(join(toolsDir, 'helm'), ['--namespace', 'assay', ...args], env)
  if (code !== 0) throw new Error(`helm ${args[0]}: ${stdout}${stderr}`)
}
const values = ['--values', join(chart, 'ci/distributed-values.yaml')]
const one = services.flatMap((service) => ['--set', `services.${service}.replicas=1`])
const rollout = (service: string) => inAssay('rollout', 'status', `deployment/assay-${service}`, '--timeout=180s')

interface Pod {
  metadata: { name: string; labels: Record<string, string>; deletionTimestamp?: string }
  status: { containerStatuses?: { ready: boolean; restartCount: number }[]; phase: string }
}
function podsOf(service: string): Pod[] {
  const { items }: { items: Pod[] } = JSON.parse(
    inAssay('get', 'pods', '--output=json', `--selector=app.kubernetes.io/component=${service}`),
  )
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
}
const isReady = ({ status }: Pod) => status.containerStatuses?.every(({ ready }) => ready) ?? false

/** Saves the logs and events of all pods next to those of the cluster, before the pods are gone. */
function keepLogs(): void {
  const sorted = ['get', 'events', '--all-namespaces', '--sort-by=.lastTimestamp', '--output=wide']
  writeFileSync(join(folder, 'events.log'), kubectl(...sorted))
  for (const line of kubectl('get', 'pods', '--all-namespaces', '--no-headers').split('\n')) {
    const [namespace = '', pod = ''] = line.split(/\s+/)
    const args = ['--namespace', namespace, 'logs', pod]
    const { stdout } = spawnSync(join(binaries, 'kubectl'), args, { env: cluster.environment, maxBuffer: 64 << 20 })
    writeFileSync(join(folder, `${pod}.log`), stdout)
  }
  say(`The logs of the pods are in ${folder}.`)
}

try {
  say(`Kubernetes runs: ${kubectl('get', 'nodes', '--no-headers')}`)
  cluster.apply(servers)
  cluster.apply([
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'assay', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    },
    volume('sources', { namespace: 'assay', name: 'sources' }, sources, 'ReadOnlyMany'),
    volume('results', { namespace: 'assay', name: 'assay-results' }, volumes.results, 'ReadWriteOnce'),
    volume('samples', { namespace: 'assay', name: 'assay-samples' }, volumes.samples, 'ReadWriteOnce'),
    volume('validations', { namespace: 'assay', name: 'assay-validations' }, volumes.validations, 'ReadWriteMany'),
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'sources', namespace: 'assay' },
      spec: {
        accessModes: ['ReadOnlyMany'],
        storageClassName: '',
        volumeName: 'sources',
        resources: { requests: { storage: '1Gi' } },
      },
    },
  ])
  for (const { metadata, kind } of servers)
    if (kind === 'Deployment')
      kubectl('--namespace', 'servers', 'rollout', 'status', `deployment/${metadata.name}`, '--timeout=180s')
  say('The servers are ready.')

  let from = Date.now()
  helm('install', 'assay', chart, ...values, ...one)
  // The volume of results belongs to root. No pod may crash because of that, and the log must say what to do.
  const message = await until(
    'The message of the execution service about a folder that belongs to root',
    () => {
      const [pod] = podsOf('execution')
      const log = pod?.status.phase === 'Running' ? inAssay('logs', pod.metadata.name) : ''
      return /The results folder .*belongs to user 0\.[^"]*/.exec(log)?.[0]
    },
    180,
  )
  say(`execution says: ${message}`)
  for (const service of services) if (service !== 'execution') rollout(service)
  expect(
    podsOf('execution').every(({ status }) => status.containerStatuses?.[0]?.restartCount === 0),
    'a results folder of root: no crash loop',
  )
  chownSync(volumes.results, 1000, 1000)
  rollout('execution')
  say(
    `Installed: six services ready after ${((Date.now() - from) / 1000).toFixed(0)} s, the last one when its user owned its folder.`,
  )

  helm('test', 'assay')
  expect(true, 'helm test')

  const address = inAssay('get', 'service', 'assay-gateway', '--output=jsonpath={.spec.clusterIP}')
  const base = `http://${address}`
  async function call(method: string, path: string, body?: unknown) {
    const answer = await fetch(base + path, {
      method,
      headers: { ...pair, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(15_000),
    })
    const text = await answer.text()
    return { status: answer.status, json: text === '' ? undefined : JSON.parse(text), text }
  }

  const made = await call('POST', `${api}/assemblies`, {
    name: 'orders',
    sourceType: 'FILE',
    configuration: { path: '/sources' },
  })
  if (made.status >= 300) throw new Error(`The assembly was refused: ${made.text}`)
  const asset = await until(
    'The crawl',
    async () => {
      const { status, json } = await call('GET', `${api}/assets/byUid/orders.orders.csv`)
      return status === 200 ? (json.data?.id ?? json.id) : undefined
    },
    180,
  )
  const policy = await call('POST', `${api}/rules/data-quality`, {
    rule: { name: 'names are there', backingAsset: { tableAssetUid: 'orders.orders.csv' } },
    items: [{ measurementType: 'MISSING_VALUES', columnName: 'name' }],
  })
  say(`asset ${asset}, policy: ${policy.status} ${policy.status < 300 ? '' : policy.text.slice(0, 300)}`)
  const policyId = (await call('GET', `${api}/rules/names%20are%20there`)).json?.id
  const execution = await call('POST', `/api/webhook/rules/executions/${policyId}`)
  const executionId = execution.json?.execution?.id
  const verdict = await until(
    'The verdict',
    async () => {
      const { json } = await call('GET', `${api}/rules/data-quality/executions/${executionId}`)
      const found = json?.execution ?? json?.data ?? json
      return found?.resultStatus && found.resultStatus !== 'RUNNING' ? found.resultStatus : undefined
    },
    180,
  )
  expect(['ERRORED', 'WARNING', 'SUCCESSFUL'].includes(verdict), `flow: a run has the verdict ${verdict}`)

  const worker = new Worker(new URL('./load-worker.ts', import.meta.url), {
    workerData: { base, headers: pair, read: `${api}/assets/${asset}`, write: `${api}/assets/${asset}/labels` },
  })
  async function since(): Promise<Seen> {
    worker.postMessage('since')
    const [seen] = await once(worker, 'message')
    return seenShape.parse(seen)
  }
  await delay(5_000)
  const calm = await since()
  expect(
    calm.failed.length === 0,
    `5 requests/s: ${calm.failed.length} of ${calm.asked} failed ${calm.failed.slice(0, 3).join(', ')}`,
  )

  /** Kills a pod of a service and waits until another one is ready. */
  async function kill(service: string): Promise<number> {
    const pods = podsOf(service)
    const [victim] = pods
    if (victim === undefined) throw new Error(`There is no pod of ${service}.`)
    from = Date.now()
    inAssay('delete', 'pod', victim.metadata.name, '--force', '--grace-period=0')
    await until(
      `Another ${service}`,
      () => {
        const left = podsOf(service).filter(({ metadata }) => metadata.name !== victim.metadata.name)
        return left.length >= pods.length && left.every(isReady) ? true : undefined
      },
      180,
    )
    return (Date.now() - from) / 1000
  }
  /** Prints each kind of failure once, with its number. */
  function sayFailures({ failed }: Seen): void {
    const kinds = Map.groupBy(failed, (text) => text.slice(25).replace(/[0-9a-f-]{32,36}/g, '...'))
    for (const [kind, all] of kinds)
      say(`        ${all.length} times ${kind}, ${all[0]?.slice(11, 23)} to ${all.at(-1)?.slice(11, 23)}`)
  }
  const shown = ({ failed, asked, longestMs }: Seen) =>
    `${failed.length} of ${asked} requests failed, for ${(longestMs / 1000).toFixed(1)} s at most`

  for (const service of services) {
    const seconds = await kill(service)
    await delay(3_000)
    const seen = await since()
    // Requests to a service fail until its only replica is replaced.
    const limitMs = ['gateway', 'catalog'].includes(service) ? 15_000 : 1_000
    expect(
      seen.longestMs <= limitMs,
      `the only ${service} was killed: another is ready after ${seconds.toFixed(1)} s; ${shown(seen)} (limit ${limitMs / 1000} s)`,
    )
    sayFailures(seen)
  }

  inAssay('scale', 'deployment/assay-gateway', 'deployment/assay-catalog', '--replicas=2')
  for (const service of ['gateway', 'catalog']) rollout(service)
  await delay(10_000)
  const scaled = await since()
  expect(scaled.failed.length === 0, `scaled to two gateways and catalogs: ${shown(scaled)}`)
  for (const service of ['gateway', 'catalog']) {
    const seconds = await kill(service)
    await delay(3_000)
    const seen = await since()
    expect(
      seen.failed.length <= 1 && seconds <= 15,
      `one of two of ${service} was killed: another is ready after ${seconds.toFixed(1)} s; ${shown(seen)} (at most 1, 15 s)`,
    )
    sayFailures(seen)
  }

  const log = kubectl('--namespace', 'servers', 'get', 'pods', '--selector=app=eventstoredb', '--output=name')
  const [, pod = ''] = log.split('/')
  cluster.freeze('servers', pod, true)
  // Long enough for the failed probes that make a pod unready.
  await delay(25_000)
  cluster.freeze('servers', pod, false)
  await delay(10_000)
  const frozen = await since()
  const reads = frozen.failed.filter((text) => text.includes(' read '))
  expect(reads.length === 0, `the event store was silent for 25 s: ${reads.length} reads failed; ${shown(frozen)}`)
  sayFailures(frozen)
  await delay(5_000)
  const recovered = await since()
  expect(recovered.failed.length === 0, `the event store is back: ${shown(recovered)}`)
  sayFailures(recovered)

  for (const service of services) inAssay('rollout', 'restart', `deployment/assay-${service}`)
  for (const service of services) rollout(service)
  await delay(5_000)
  const rolled = await since()
  // Services with one replica are briefly down; the load goes to the gateway and the catalog, which have two.
  expect(rolled.failed.length === 0, `rollout of all: ${shown(rolled)}`)
  sayFailures(rolled)

  const upgrade = [...one, '--set', 'services.gateway.replicas=2', '--set', 'services.catalog.replicas=2']
  const secrets = [
    { 'identity-secret-also': 'the-next-identity-secret-of-the-tests' },
    {
      'identity-secret': 'the-next-identity-secret-of-the-tests',
      'identity-secret-also': 'an-identity-secret-that-is-of-tests-alone',
    },
  ]
  for (const changed of secrets) {
    const set = Object.entries(changed).flatMap(([name, value]) => ['--set', `secrets.values.${name}=${value}`])
    helm('upgrade', 'assay', chart, ...values, ...upgrade, ...set)
    for (const service of services) rollout(service)
  }
  await delay(5_000)
  const upgraded = await since()
  expect(upgraded.failed.length === 0, `two upgrades that change the identity secret: ${shown(upgraded)}`)
  sayFailures(upgraded)
  worker.postMessage('stop')
  await once(worker, 'exit')

  helm('uninstall', 'assay', '--wait', '--timeout', '90s')
  await until(
    'The end of the pods',
    () => inAssay('get', 'pods', '--no-headers', '--ignore-not-found') === '' || undefined,
  )
  const left = inAssay('get', 'persistentvolumeclaims', '--output=name')
  expect(
    kept.every((name) => left.includes(`assay-${name}`)),
    `uninstalled: results, samples and validations are kept (${left.split('\n').length} claims)`,
  )
} catch (error) {
  wrong.push(String(error))
  keepLogs()
  say(`FAILED ${error instanceof Error ? error.message : error}`)
  for (const service of services)
    say(
      `${service}: ${spawnSync(join(binaries, 'kubectl'), ['--namespace', 'assay', 'get', 'pods', `--selector=app.kubernetes.io/component=${service}`, '--no-headers'], { env: cluster.environment, encoding: 'utf8' }).stdout.trim()}`,
    )
} finally {
  await cluster.stop()
}
process.stdout.write(wrong.length === 0 ? 'All checks passed.\n' : `${wrong.length} checks failed.\n`)
process.exit(wrong.length === 0 ? 0 : 1)
