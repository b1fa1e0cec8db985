import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cacheDir, composeCommand, read, show } from './docker.ts'

const version = 'v2.40.3'
const source = 'github.com/docker/compose/v2'

/** Builds the compose plugin with Go (once, some minutes) if there is no `docker compose`. */
export function buildCompose(): void {
  try {
    composeCommand()
    return
  } catch {
    process.stderr.write(`Building docker compose ${version} into ${cacheDir} (once, some minutes) ...\n`)
  }
  const folder = mkdtempSync(join(tmpdir(), 'assay-compose-'))
  try {
    const { Dir } = JSON.parse(read('go', ['mod', 'download', '-json', `${source}@${version}`]))
    cpSync(Dir, folder, { recursive: true })
    show('chmod', ['-R', 'u+w', folder])
    mkdirSync(join(cacheDir, 'bin'), { recursive: true })
    const flags = `-s -w -X ${source}/internal.Version=${version}`
    show('go', ['build', '-trimpath', '-ldflags', flags, '-o', join(cacheDir, 'bin', 'docker-compose'), './cmd'], {
      cwd: folder,
      env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod' },
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
