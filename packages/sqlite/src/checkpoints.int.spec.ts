import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Database, numberIn, openDatabase } from './index.ts'

const megabyte = 1024 * 1024
let folder: string
let path: string
let database: Database

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-checkpoints-'))
  path = join(folder, 'test.db')
  database = openDatabase({ path })
  database.exec('CREATE TABLE item (id INTEGER PRIMARY KEY, value TEXT)')
})

afterEach(async () => {
  await database.close()
  rmSync(folder, { recursive: true })
})

/** Writes as many megabytes, each in a transaction of its own. */
async function write(megabytes: number): Promise<void> {
  for (let written = 0; written < megabytes; written += 1)
    await database.write(() => database.prepare('INSERT INTO item (value) VALUES (?)').run('x'.repeat(megabyte)))
}

const copiedPages = () => numberIn(database.prepare('PRAGMA wal_checkpoint(NOOP)').get() ?? {}, 'checkpointed')

it('given 20 MB in the log, less than commits leave there, then a thread copies them into the file', async () => {
  await write(20)
  await vi.waitFor(() => expect(copiedPages()).toBeGreaterThan(4000), { timeout: 20_000 })
  expect(statSync(path).size).toBeGreaterThan(15 * megabyte)
})

it('given writes without a pause, then the log does not grow with them', async () => {
  await write(200)
  expect(statSync(`${path}-wal`).size).toBeLessThan(100 * megabyte)
})

it('given a started thread, when the database is closed, then everything is in its file and the log is gone', async () => {
  await write(20)
  await database.close()
  expect(existsSync(`${path}-wal`)).toBe(false)
  database = openDatabase({ path })
  expect(database.prepare('SELECT count(*) AS items FROM item').get()).toEqual({ items: 20 })
})
