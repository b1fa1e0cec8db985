import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@assay/sqlite'
import { expect, it } from 'vitest'
import { createSqliteEventStore } from './event-store.ts'

const writer = join(import.meta.dirname, '..', 'testing', 'crash-writer.ts')

/**
 * Runs a writer until shortly after it has acknowledged `count` appends, then kills it. Returns the acknowledged ids.
 */
async function writeAndKill(path: string, run: number, count: number): Promise<string[]> {
  const child = spawn(process.execPath, [writer, path, String(run)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  let text = ''
  for await (const chunk of child.stdout) {
    text += chunk
    if (text.split('\n').length > count) child.kill('SIGKILL')
  }
  await closed
  return text.split('\n').slice(0, -1)
}

it('given a writer that is killed three times, then all acknowledged events are stored and the file is intact', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-crash-'))
  const path = join(folder, 'events.db')
  const acknowledged: string[] = []
  for (let run = 0; run < 3; run++) {
    acknowledged.push(...(await writeAndKill(path, run, 1 + Math.floor(Math.random() * 400))))
    const database = openDatabase({ path })
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
    const store = createSqliteEventStore({ database, clock: { now: Date.now } })
    const found = new Map<string, number>()
    for (let after: string | undefined; ; ) {
      const slice = await store.readAll({ after, limit: 5000 })
      for (const { id, stream, revision } of slice.events) {
        found.set(id, revision)
        // Batches of two: a torn one would leave a stream with an odd number of events.
        if (revision % 2 === 0) expect((await store.read(stream, { from: revision, limit: 2 })).events).toHaveLength(2)
      }
      if (slice.atEnd) break
      after = slice.position
    }
    expect(acknowledged.filter((id) => !found.has(id))).toEqual([])
    await database.close()
  }
  expect(acknowledged.length).toBeGreaterThan(10)
  rmSync(folder, { recursive: true })
})
