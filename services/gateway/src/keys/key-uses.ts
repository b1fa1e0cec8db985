import { type Documents, documentPut } from '@assay/documents'
import { type Logger, messageOf, type Timers } from '@assay/service-kit'
import { systemTenant } from '../dependencies.ts'
import { apiKeyUses } from '../key/aggregate.ts'

const minute = 60_000
const writeEveryMilliseconds = 15_000

/**
 * When keys were last used, to the minute: buffered in memory and written periodically, so that no request waits for
 * it.
 */
export interface KeyUses {
  note(accessKeyHash: string, at: number): void
  /** Epoch milliseconds of the last use by the hash of the access key; unused keys are missing. */
  of(accessKeyHashes: readonly string[]): Promise<Map<string, number>>
  start(): void
  /** Writes the buffered uses. */
  stop(): Promise<void>
}

export function createKeyUses(deps: { documents: Documents; timers: Timers; logger: Logger }): KeyUses {
  const { documents, timers, logger } = deps
  const latest = new Map<string, number>()
  const unwritten = new Set<string>()
  let writing: Promise<void> = Promise.resolve()
  let timer: { stop(): void } | undefined

  async function write(): Promise<void> {
    const ids = [...unwritten]
    if (ids.length === 0) return
    unwritten.clear()
    const puts = ids.map((id) => {
      const lastUsedAt = latest.get(id) ?? 0
      // The minute is the revision, so that the latest use among replicas wins.
      const source = { revision: lastUsedAt / minute, position: '' }
      return documentPut(apiKeyUses, systemTenant, id, { lastUsedAt }, source)
    })
    try {
      await documents.put(puts)
    } catch (error) {
      for (const id of ids) unwritten.add(id)
      logger.warn({ error: messageOf(error) }, 'the times of last use of keys could not be written')
    }
  }

  function writeNext(): Promise<void> {
    writing = writing.then(write)
    return writing
  }

  return {
    note(accessKeyHash, at) {
      const lastUsedAt = Math.floor(at / minute) * minute
      if ((latest.get(accessKeyHash) ?? 0) >= lastUsedAt) return
      latest.set(accessKeyHash, lastUsedAt)
      unwritten.add(accessKeyHash)
    },
    async of(accessKeyHashes) {
      const found = new Map<string, number>()
      for (const id of accessKeyHashes) {
        const stored = (await documents.get(apiKeyUses, systemTenant, id))?.document.lastUsedAt
        const lastUsedAt = Math.max(stored ?? 0, latest.get(id) ?? 0)
        if (lastUsedAt > 0) found.set(id, lastUsedAt)
      }
      return found
    },
    start() {
      timer ??= timers.every(writeEveryMilliseconds, () => void writeNext())
    },
    async stop() {
      timer?.stop()
      timer = undefined
      await writeNext()
    },
  }
}
