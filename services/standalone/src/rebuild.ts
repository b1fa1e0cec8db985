import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { rebuild } from '@assay/event-store'
import { createLogger, loadConfig, messageOf } from '@assay/service-kit'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { standaloneConfig } from './config.ts'
import { rebuiltAggregates, rebuiltCollections } from './read-models.ts'
import { openStores, type StandaloneStores } from './stores.ts'

/** Each collection's number of documents and a digest of all their bytes. */
async function digests({ documents }: StandaloneStores): Promise<Map<string, { count: number; digest: string }>> {
  const found = new Map<string, { count: number; digest: string }>()
  for (const collection of rebuiltCollections) {
    const hash = createHash('sha256')
    let count = 0
    for await (const { tenant, id, document, source } of documents.scan(collection)) {
      hash.update(JSON.stringify([tenant, id, document, source]))
      count += 1
    }
    found.set(collection.name, { count, digest: hash.digest('hex') })
  }
  return found
}

/** Rebuilds every read model from the log and prints for each whether it is unchanged. Publishes nothing. */
async function main(): Promise<void> {
  const config = loadConfig(standaloneConfig, Object.keys(standaloneConfig.shape), process.env)
  const logger = createLogger({ level: config.ASSAY_LOG_LEVEL })
  const ambient = { clock: systemClock, timers: systemTimers, newId: uuidV7, logger }
  const stores = await openStores(resolve(config.ASSAY_DATA_DIR), config, ambient)
  try {
    const before = await digests(stores)
    const target = stores.rebuildTarget(rebuiltCollections.map(({ name }) => name))
    const began = performance.now()
    const { events, streams } = await rebuild({
      store: stores.store,
      aggregates: rebuiltAggregates,
      collections: rebuiltCollections,
      target,
    })
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    const after = await digests(stores)
    process.stdout.write(`Rebuilt from ${events} events of ${streams} streams in ${seconds} s.\n`)
    for (const [name, { count, digest }] of after) {
      const was = before.get(name)
      process.stdout.write(
        `  ${name.padEnd(26)} ${String(count).padStart(9)} documents  ${was?.digest === digest ? 'same' : `changed (there were ${was?.count ?? 0})`}\n`,
      )
    }
  } finally {
    await stores.close()
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`The rebuild failed; the read models are unchanged. ${messageOf(error)}\n`)
  process.exit(1)
})
