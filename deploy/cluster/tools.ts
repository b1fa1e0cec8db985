import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { show } from '../containers/docker.ts'

export const version = '1.34.4'
export const cacheDir = process.env.ASSAY_CLUSTER_DIR ?? join(homedir(), '.cache', 'assay-cluster')
export const binaries = join(cacheDir, 'bin')

const parts = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kube-proxy',
  'kubelet',
  'kubectl',
  'service-dns',
]
/** Programs of these Debian packages: etcd-server, containerd, containernetworking-plugins, iptables, conntrack, iproute2. */
const needed = ['etcd', 'containerd', 'ctr', 'runc', 'iptables', 'conntrack', 'ip', 'nsenter', 'unshare']

/**
 * Builds Kubernetes with Go unless it was built before (about 10 minutes on two cores). Throws if a required program is
 * missing.
 */
export function buildKubernetes(): void {
  const missing = needed.filter((name) => spawnSync('which', [name]).status !== 0)
  if (missing.length > 0)
    throw new Error(
      `Not on PATH: ${missing.join(', ')}. Debian has them: apt-get install etcd-server containerd containernetworking-plugins iptables conntrack`,
    )
  const program = join(binaries, 'kubernetes')
  if (!existsSync(program)) {
    process.stderr.write(`Building Kubernetes ${version} into ${cacheDir} (once, ten minutes and more) ...\n`)
    const folder = join(cacheDir, 'src')
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(binaries, { recursive: true })
    cpSync(fileURLToPath(new URL('./kube/', import.meta.url)), folder, { recursive: true })
    const [major, minor] = version.split('.')
    const of = 'k8s.io/component-base/version'
    const flags = `-s -w -X ${of}.gitVersion=v${version} -X ${of}.gitMajor=${major} -X ${of}.gitMinor=${minor}`
    show('go', ['build', '-trimpath', '-ldflags', flags, '-o', program, '.'], {
      cwd: folder,
      env: { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' },
    })
  }
  for (const part of parts) if (!existsSync(join(binaries, part))) symlinkSync('kubernetes', join(binaries, part))
}
