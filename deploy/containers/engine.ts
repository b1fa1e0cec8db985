import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { cacheDir } from './docker.ts'

const answers = () => spawnSync('docker', ['info'], { stdio: 'ignore', timeout: 20_000 }).status === 0

/** Starts the installed container engine if it does not run (as root). It keeps running, because others may use it. */
export async function startEngine(): Promise<void> {
  if (answers()) return
  mkdirSync(cacheDir, { recursive: true })
  const log = openSync(join(cacheDir, 'dockerd.log'), 'a')
  const engine = spawn('dockerd', ['--data-root', join(cacheDir, 'docker'), '--exec-root', '/run/assay-docker'], {
    stdio: ['ignore', log, log],
    detached: true,
  })
  const failed = new Promise<string>((resolve) => {
    engine.once('error', (error) => resolve(error.message))
    engine.once('exit', (code) => resolve(`it ended with ${code}, see ${cacheDir}/dockerd.log`))
  })
  engine.unref()
  for (let tries = 0; tries < 60 && !answers(); tries++) {
    const reason = await Promise.race([failed, delay(1000).then(() => undefined)])
    if (reason !== undefined) throw new Error(`There is no container engine: dockerd did not start: ${reason}.`)
  }
}
