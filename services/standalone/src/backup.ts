import { existsSync } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { isAssayError, loadConfig, messageOf } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { copyDatabase } from '@assay/sqlite'
import { standaloneConfig } from './config.ts'
import { secretFile } from './installation-secret.ts'
import { sealingFile } from './sealing-keys.ts'

const usage = `Usage: npm run backup -- <folder>

Copies the data folder (ASSAY_DATA_DIR) and the results (ASSAY_RESULTS_DIR) to <folder>, which must not exist yet, while
Assay runs or not. The copy is a data folder: start Assay with ASSAY_DATA_DIR=<folder> to use it.
`

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

async function flushed(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}

/**
 * Copies the files below `from`, except those still being written, and returns their number. Files deleted meanwhile
 * are left out.
 */
async function copyResults(from: string, to: string): Promise<number> {
  let count = 0
  await mkdir(to, { mode: 0o700 })
  const entries = await readdir(from, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  for (const entry of entries) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory() && entry.name !== '.staging') count += await copyResults(source, target)
    if (!entry.isFile()) continue
    try {
      await copyFile(source, target)
      await flushed(target)
      count += 1
    } catch (error) {
      if (!isMissing(error)) throw error
      await rm(target, { force: true })
    }
  }
  await flushed(to)
  return count
}

/** Lines about data that are not in the data folder and therefore not in the copy. */
function elsewhere(config: ReturnType<typeof readConfig>): string[] {
  const places = [
    ['The log', config.ASSAY_EVENT_STORE, 'sqlite'],
    ['The read models', config.ASSAY_DOCUMENTS, 'sqlite'],
    ['Messages', config.ASSAY_BUS, 'embedded'],
    ['Results', config.ASSAY_ARTIFACTS, 'filesystem'],
  ] as const
  return places
    .filter(([, chosen, local]) => chosen !== local)
    .map(
      ([what, chosen]) =>
        `${what}: in ${chosen}, not in this copy. Back up ${chosen} with its own tools (docs/operations.md).\n`,
    )
}

const readConfig = () => loadConfig(standaloneConfig, Object.keys(standaloneConfig.shape), process.env)

async function main(): Promise<void> {
  const [folder, ...more] = process.argv.slice(2)
  if (folder === undefined || folder.startsWith('-') || more.length > 0) {
    process.stderr.write(usage)
    process.exitCode = folder === '--help' ? 0 : 78
    return
  }
  const config = readConfig()
  const dataDir = resolve(config.ASSAY_DATA_DIR)
  const target = resolve(folder)
  const resultsDir = resolve(config.ASSAY_RESULTS_DIR ?? join(dataDir, 'results'))
  // The copy gets its final name only when it is complete.
  const partial = `${target}.partial`
  if (`${target}${sep}`.startsWith(`${resultsDir}${sep}`))
    throw new AssayError('invalid', `${target} is within the results folder, which is copied. Choose another folder.`)
  await mkdir(dirname(target), { recursive: true })
  const isThere = (await readdir(dirname(target))).includes(basename(target))
  if (isThere) throw new AssayError('conflict', `${target} already exists. Choose a new folder.`)
  await mkdir(partial, { mode: 0o700 }).catch((cause: unknown) => {
    throw new AssayError(
      'unavailable',
      `${partial} cannot be created: ${messageOf(cause)}. If it was left by an interrupted backup, remove it.`,
      { cause },
    )
  })
  try {
    // Copies the database first: all results that it names are complete.
    await copyDatabase(join(dataDir, 'assay.db'), join(partial, 'assay.db'))
    await flushed(join(partial, 'assay.db'))
    for (const name of [secretFile, sealingFile]) {
      if (!existsSync(join(dataDir, name))) continue
      await copyFile(join(dataDir, name), join(partial, name))
      await flushed(join(partial, name))
    }
    const files = config.ASSAY_ARTIFACTS === 's3' ? 0 : await copyResults(resultsDir, join(partial, 'results'))
    await flushed(partial)
    await rename(partial, target)
    await flushed(dirname(target))
    process.stdout.write(`Copied ${dataDir} to ${target}: the database and ${files} files of results.\n`)
    for (const line of elsewhere(config)) process.stdout.write(line)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`There is no backup. ${messageOf(error)}\n`)
  if (!isAssayError(error) && error instanceof Error) process.stderr.write(`${error.stack}\n`)
  process.exit(1)
})
