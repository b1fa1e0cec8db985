import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { start } from '../../../../tools/servers/kafka.mjs'

test('given the brokers alone, when what is parked is listed, then messages are, and it says what was not looked for', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-list-'))
  const server = await start()
  try {
    const env = { PATH: process.env.PATH, ASSAY_KAFKA_BROKERS: server.url, ASSAY_DATA_DIR: join(folder, 'none') }
    const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'main.ts'), 'list'], {
      env,
    })
    expect(stdout).toMatch(/0 messages are parked.\nStreams that are set aside were not looked for: ASSAY_MONGODB_URL/)
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
