import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Artifacts, OpenedFile } from '@assay/artifacts'
import type { Clock, Timers } from '@assay/service-kit'

/** Maximum size of all copies in bytes. A larger file is fetched each time. */
const defaultMaxBytes = 1024 ** 3
/** Unused copies are removed after this many milliseconds, because the stored rows may have been removed too. */
const idleMs = 5 * 60_000
const checkMs = 60_000

interface Copy {
  bytes: number
  usedAt: number
  path: Promise<string>
  /** Ends the download. */
  abort(): void
  /** Safe while it is being read: readers have linked or opened it. */
  remove(): Promise<void>
}

/**
 * Opens stored files that must be on this machine. Fetches a file of a remote store once, not for each page. Stored
 * files never change, so copies are exact.
 */
export interface LocalCopies {
  /** `undefined` means the file does not exist. Throws the errors of the artifacts. */
  open(tenant: string, key: string): Promise<OpenedFile | undefined>
  start(): void
  /** Ends downloads and removes all copies. */
  stop(): Promise<void>
}

export function createLocalCopies(deps: {
  artifacts: Artifacts
  clock: Clock
  timers: Pick<Timers, 'every'>
  maxBytes?: number
}): LocalCopies {
  const { artifacts, clock, timers, maxBytes = defaultMaxBytes } = deps
  /** In the order of last use, the most recent one last. */
  const copies = new Map<string, Copy>()
  let ticks: { stop(): void } | undefined

  async function drop(key: string): Promise<void> {
    const copy = copies.get(key)
    copies.delete(key)
    // If this fails, the next start removes it.
    await copy?.remove().catch(() => undefined)
  }

  function begin(tenant: string, key: string, { sizeBytes, stream }: OpenedFile): void {
    const stage = artifacts.stage(tenant)
    const stopping = new AbortController()
    const path = stage.then(async ({ folder }) => {
      const file = join(folder, 'stored')
      await pipeline(stream, createWriteStream(file), { signal: stopping.signal })
      return file
    })
    path.catch(() => {
      stream.destroy()
      void drop(key)
    })
    async function remove() {
      await path.catch(() => undefined)
      await (await stage).discard()
    }
    copies.set(key, { bytes: sizeBytes, usedAt: clock.now(), path, abort: () => stopping.abort(), remove })
    let bytes = [...copies.values()].reduce((sum, copy) => sum + copy.bytes, 0)
    for (const [other, copy] of copies) {
      if (bytes <= maxBytes) break
      bytes -= copy.bytes
      void drop(other)
    }
  }

  return {
    async open(tenant, key) {
      if (!copies.has(key)) {
        const opened = await artifacts.open(key)
        if (opened === undefined || opened.path !== undefined || opened.sizeBytes > maxBytes) return opened
        if (copies.has(key)) opened.stream.destroy()
        else begin(tenant, key, opened)
      } else if ((await artifacts.list(key)).length === 0) {
        await drop(key)
        return undefined
      }
      const copy = copies.get(key)
      if (copy === undefined) return artifacts.open(key)
      copies.delete(key)
      copies.set(key, { ...copy, usedAt: clock.now() })
      const path = await copy.path
      return { sizeBytes: copy.bytes, path, stream: createReadStream(path) }
    },
    start() {
      ticks = timers.every(checkMs, () => {
        for (const [key, { usedAt }] of copies) if (clock.now() - usedAt >= idleMs) void drop(key)
      })
    },
    async stop() {
      ticks?.stop()
      for (const { abort } of copies.values()) abort()
      await Promise.all([...copies.keys()].map(drop))
    },
  }
}
