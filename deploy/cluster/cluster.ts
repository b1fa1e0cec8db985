import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { show } from '../containers/docker.ts'
import { binaries } from './tools.ts'

export const node = '10.99.0.1'
const token = 'of-the-tests-of-this-machine'
/** Kernel settings that kubelet changes, restored at the end. */
const changed = ['vm/overcommit_memory', 'kernel/panic', 'kernel/panic_on_oops']

export interface Cluster {
  kubectl(...args: string[]): string
  apply(manifests: object[]): void
  environment: NodeJS.ProcessEnv
  /** Freezes the container of a pod, or resumes it. A frozen container neither answers nor refuses connections. */
  freeze(namespace: string, pod: string, isFrozen: boolean): void
  stop(): Promise<void>
}

const yaml = (file: string, content: object) => writeFileSync(file, JSON.stringify(content))

function containerdConfig(folder: string): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"'
  return `version = 2
root = "${folder}/containerd"
state = "${folder}/run"
[grpc]
address = "${folder}/containerd.sock"
[${cri}]
sandbox_image = "assay-local/pause:1"
restrict_oom_score_adj = true
[${cri}.cni]
bin_dir = "/usr/lib/cni"
conf_dir = "${folder}/cni"
[${cri}.containerd]
snapshotter = "overlayfs"
[${cri}.containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[${cri}.containerd.runtimes.runc.options]
SystemdCgroup = false
`
}

/**
 * Starts Kubernetes on one node, in the network namespace of this process. Its processes log into `folder`, which must
 * be on a disk that supports overlayfs.
 */
export async function startCluster(folder: string, images: readonly string[]): Promise<Cluster> {
  mkdirSync(join(folder, 'cni'), { recursive: true })
  const namespaces = new Set(readdirSync('/run/netns'))
  const before = changed.map((name) => [name, readFileSync(`/proc/sys/${name}`, 'utf8')] as const)
  const running: [string, ChildProcess][] = []
  const kubeconfig = join(folder, 'kubeconfig')
  const environment = { ...process.env, KUBECONFIG: kubeconfig }

  function start(name: string, args: readonly string[], command = join(binaries, name)): void {
    const log = openSync(join(folder, `${name}.log`), 'a')
    const child = spawn(command, args, { stdio: ['ignore', log, log], env: environment })
    child.once('error', (error) => process.stderr.write(`${name}: ${error.message}\n`))
    running.push([name, child])
  }
  async function until(what: string, isDone: () => boolean, seconds = 120): Promise<void> {
    for (let tries = 0; tries < seconds * 2; tries++) {
      if (isDone()) return
      const ended = running.find(([, child]) => child.exitCode !== null)
      if (ended) throw new Error(`${ended[0]} has ended: see ${folder}/${ended[0]}.log`)
      await delay(500)
    }
    throw new Error(`${what} took longer than ${seconds} s: see the logs in ${folder}`)
  }

  for (const args of [
    ['link', 'set', 'lo', 'up'],
    ['link', 'add', 'node0', 'type', 'veth', 'peer', 'name', 'nowhere'],
    ['link', 'set', 'nowhere', 'up'],
    ['addr', 'add', `${node}/24`, 'dev', 'node0'],
    ['link', 'set', 'node0', 'up'],
    ['route', 'add', 'default', 'via', '10.99.0.254', 'dev', 'node0'],
  ])
    show('ip', args)
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1')

  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(join(folder, 'sa.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(join(folder, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
  writeFileSync(join(folder, 'tokens'), `${token},admin,admin,"system:masters"\n`)
  writeFileSync(join(folder, 'containerd.toml'), containerdConfig(folder))
  writeFileSync(join(folder, 'resolv.conf'), '')
  yaml(join(folder, 'cni/10-bridge.conflist'), {
    cniVersion: '0.4.0',
    name: 'assay',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        ipMasq: true,
        hairpinMode: true,
        mtu: 1400,
        ipam: {
          type: 'host-local',
          ranges: [[{ subnet: '10.98.0.0/24' }]],
          routes: [{ dst: '0.0.0.0/0' }],
          dataDir: join(folder, 'addresses'),
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  })
  yaml(kubeconfig, {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:6443', 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'a', user: { token } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    'current-context': 'a',
  })
  yaml(join(folder, 'kubelet.yaml'), {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    cgroupDriver: 'cgroupfs',
    clusterDNS: [node],
    clusterDomain: 'cluster.local',
    containerRuntimeEndpoint: `unix://${folder}/containerd.sock`,
    enforceNodeAllocatable: [],
    evictionHard: { 'memory.available': '0%', 'nodefs.available': '0%', 'imagefs.available': '0%' },
    failCgroupV1: false,
    failSwapOn: false,
    imageGCHighThresholdPercent: 100,
    resolvConf: join(folder, 'resolv.conf'),
  })

  const etcd = ['--listen-client-urls', 'http://127.0.0.1:2379', '--advertise-client-urls', 'http://127.0.0.1:2379']
  start('etcd', ['--data-dir', join(folder, 'etcd'), '--listen-peer-urls', 'http://127.0.0.1:2380', ...etcd], 'etcd')
  start('containerd', ['--config', join(folder, 'containerd.toml')], 'containerd')
  start('kube-apiserver', [
    '--etcd-servers=http://127.0.0.1:2379',
    '--service-cluster-ip-range=10.96.0.0/16',
    `--advertise-address=${node}`,
    `--cert-dir=${folder}/certificates`,
    `--token-auth-file=${folder}/tokens`,
    '--authorization-mode=AlwaysAllow',
    '--allow-privileged=true',
    '--kubelet-preferred-address-types=InternalIP',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${folder}/sa.pub`,
    `--service-account-signing-key-file=${folder}/sa.key`,
  ])
  const quiet = { env: environment, encoding: 'utf8' } as const
  const succeeds = (args: readonly string[]) => spawnSync(join(binaries, 'kubectl'), args, quiet).status === 0
  await until('The start of the API', () => succeeds(['get', '--raw', '/readyz']))
  start('kube-controller-manager', [
    `--kubeconfig=${kubeconfig}`,
    `--service-account-private-key-file=${folder}/sa.key`,
    `--root-ca-file=${folder}/certificates/apiserver.crt`,
    '--leader-elect=false',
  ])
  start('kube-scheduler', [`--kubeconfig=${kubeconfig}`, '--leader-elect=false'])
  start('kube-proxy', [
    `--kubeconfig=${kubeconfig}`,
    '--proxy-mode=iptables',
    '--cluster-cidr=10.98.0.0/16',
    '--hostname-override=node',
    '--conntrack-max-per-core=0',
    '--conntrack-min=0',
    '--conntrack-tcp-timeout-established=0',
    '--conntrack-tcp-timeout-close-wait=0',
  ])
  start('service-dns', ['--kubeconfig', kubeconfig, '--listen', `${node}:53`])
  const ctr = ['--address', join(folder, 'containerd.sock'), '--namespace', 'k8s.io']
  await until('The start of containerd', () => spawnSync('ctr', [...ctr, 'version']).status === 0)
  show('sh', ['-c', `docker save ${images.join(' ')} | ctr ${ctr.join(' ')} images import -`])
  start('kubelet', [
    `--kubeconfig=${kubeconfig}`,
    `--config=${folder}/kubelet.yaml`,
    `--root-dir=${folder}/kubelet`,
    '--hostname-override=node',
    `--node-ip=${node}`,
  ])
  await until('The node', () => succeeds(['wait', 'node/node', '--for=condition=Ready', '--timeout=1s']))
  sharePods()
  await until('The default account', () => succeeds(['get', 'serviceaccount', 'default']))

  const kubectl = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(join(binaries, 'kubectl'), args, { ...quiet, maxBuffer: 64 << 20 })
    if (status !== 0) throw new Error(`kubectl ${args.slice(0, 6).join(' ')}: ${stderr}`)
    return stdout.trimEnd()
  }

  async function end(): Promise<void> {
    for (const [name, child] of running.toReversed()) if (name !== 'containerd') child.kill('SIGKILL')
    const tasks = spawnSync('ctr', [...ctr, 'tasks', 'list', '--quiet'], quiet)
      .stdout.split('\n')
      .filter(Boolean)
    for (const task of tasks) spawnSync('ctr', [...ctr, 'tasks', 'delete', '--force', task])
    for (const [, child] of running) child.kill('SIGKILL')
    for (const [name, value] of before) writeFileSync(`/proc/sys/${name}`, value)
    await delay(500)
    for (const name of readdirSync('/run/netns'))
      if (name.startsWith('cni-') && !namespaces.has(name)) spawnSync('ip', ['netns', 'delete', name])
    unmountBelow(folder)
    for (const name of readdirSync(folder))
      if (!name.endsWith('.log')) rmSync(join(folder, name), { recursive: true, force: true })
  }
  let ending: Promise<void> | undefined
  return {
    kubectl,
    environment,
    apply(manifests) {
      const file = join(folder, 'applied.json')
      yaml(file, { apiVersion: 'v1', kind: 'List', items: manifests })
      kubectl('apply', '--filename', file)
    },
    freeze(namespace, pod, isFrozen) {
      const path = 'jsonpath={.status.containerStatuses[0].containerID}'
      const id = kubectl('--namespace', namespace, 'get', 'pod', pod, `--output=${path}`).replace('containerd://', '')
      show('ctr', [...ctr, 'tasks', isFrozen ? 'pause' : 'resume', id])
    },
    stop() {
      ending ??= end()
      return ending
    },
  }
}

/**
 * Gives all pods together ten times the CPU share that kubelet requests, because a real node would run nothing else.
 */
function sharePods(): void {
  const files = { '/sys/fs/cgroup/cpu/kubepods/cpu.shares': 20_480, '/sys/fs/cgroup/kubepods/cpu.weight': 1_000 }
  for (const [file, share] of Object.entries(files)) if (existsSync(file)) writeFileSync(file, String(share))
}

/** Unmounts the secrets and root file systems of pods. */
function unmountBelow(folder: string): void {
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[1] ?? [])
    .filter((path) => path.startsWith(folder))
  for (const path of mounts.toReversed()) spawnSync('umount', ['--lazy', path])
}
