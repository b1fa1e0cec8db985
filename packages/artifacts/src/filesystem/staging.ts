import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock, NewId } from '@assay/service-kit'
import { isAbsent, systemCode } from './errors.ts'

/** Set if other machines use the same folder, on a shared volume. Their process ids mean nothing on this machine. */
export interface SharedWith {
  /** A unique name of this machine; letters, digits and `.` only. */
  host: string
  clock: Clock
  /** Age after which an idle stage of another machine is swept. Default one day. */
  staleAfterMs?: number
}

const dayMs = 24 * 60 * 60 * 1000

/**
 * The stages of all adapters in this process. The process id alone does not identify them, because in a container it is
 * the same after every restart.
 */
const heldHere = new Set<string>()

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM means that the process is alive and belongs to another user.
    return systemCode(error) !== 'ESRCH'
  }
}

/** Folders named `[<host>+]<process id>-<uuid>` below `folder`. */
export interface Staging {
  make(): Promise<string>
  /** The folder was moved away, so there is nothing to remove. */
  release(path: string): void
  remove(path: string): Promise<void>
  sweep(): Promise<void>
}

export function createStaging(options: {
  folder: () => Promise<string>
  newId: NewId
  sharedWith?: SharedWith | undefined
}): Staging {
  const { folder, newId, sharedWith } = options
  const prefix = sharedWith === undefined ? '' : `${sharedWith.host}+`

  async function isStale(path: string, name: string): Promise<boolean> {
    const { host = '', pid } = /^(?:(?<host>[^+]*)\+)?(?<pid>\d+)-/.exec(name)?.groups ?? {}
    if (pid !== undefined && host === (sharedWith?.host ?? ''))
      return Number(pid) === process.pid || !isAlive(Number(pid))
    if (sharedWith === undefined) return false
    const { mtimeMs } = await stat(path)
    return mtimeMs < sharedWith.clock.now() - (sharedWith.staleAfterMs ?? dayMs)
  }

  function newStage(parent: string): string {
    const path = join(parent, `${prefix}${process.pid}-${newId()}`)
    heldHere.add(path)
    return path
  }

  async function remove(path: string): Promise<void> {
    await rm(path, { recursive: true, force: true })
    heldHere.delete(path)
  }

  return {
    async make() {
      const path = newStage(await folder())
      try {
        await mkdir(path, { mode: 0o700 })
      } catch (error) {
        heldHere.delete(path)
        throw error
      }
      return path
    },
    release(path) {
      heldHere.delete(path)
    },
    remove,
    async sweep() {
      const parent = await folder()
      for (const name of await readdir(parent)) {
        const path = join(parent, name)
        try {
          if (!heldHere.has(path) && (await isStale(path, name))) await rm(path, { recursive: true, force: true })
        } catch (error) {
          // Another process has already removed it.
          if (!isAbsent(error)) throw error
        }
      }
    },
  }
}
