import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { copyDatabase } from './copy.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-copy-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const writer = `
  const { DatabaseSync } = require('node:sqlite')
  const database = new DatabaseSync(process.argv[1], { timeout: 5000 })
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE left (n INTEGER); CREATE TABLE right (n INTEGER)')
  const insert = database.prepare('INSERT INTO left VALUES (?)')
  const other = database.prepare('INSERT INTO right VALUES (?)')
  for (let n = 0; ; n += 1) {
    database.exec('BEGIN')
    insert.run(n)
    other.run(n)
    database.exec('COMMIT')
    if (n === 1000) console.log('going')
  }`

describe('given a file that another process writes all the time', () => {
  test('when it is copied, then the copy is a consistent snapshot in one file', async () => {
    const source = join(folder, 'source.db')
    const child = spawn(process.execPath, ['-e', writer, source], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      await once(child.stdout, 'data')
      for (const name of ['first.db', 'second.db']) {
        await copyDatabase(source, join(folder, name))
        const copy = new DatabaseSync(join(folder, name), { readOnly: true })
        const { lefts, rights, last } = {
          ...copy
            .prepare(
              'SELECT (SELECT count(*) FROM left) lefts, (SELECT count(*) FROM right) rights, (SELECT max(n) FROM right) last',
            )
            .get(),
        }
        copy.close()
        expect(lefts).toBeGreaterThan(1000)
        expect(rights).toBe(lefts)
        expect(Number(last) + 1).toBe(lefts)
      }
      expect(
        readdirSync(folder)
          .filter((name) => /^(first|second)/.test(name))
          .toSorted(),
      ).toEqual(['first.db', 'second.db'])
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  })
})

describe('given a file that cannot be copied', () => {
  test.each([
    ['no file', () => undefined],
    ['a file that is not a database', (path: string) => writeFileSync(path, 'x'.repeat(5000))],
  ])('when the source is %s, then copying fails', async (_, make) => {
    make(join(folder, 'source.db'))
    await expect(copyDatabase(join(folder, 'source.db'), join(folder, 'copy.db'))).rejects.toThrow()
  })
})
