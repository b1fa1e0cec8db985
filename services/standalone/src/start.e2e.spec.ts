import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { removeData, startAssay } from '@assay/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sampleAssemblyRequest } from './first-start/samples.ts'

const api = '/catalog-server/api'
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))
let folder: string
let data: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-start-'))
  data = join(folder, 'data')
})
afterEach(() => removeData(folder))

/** Runs one of the entry points until it ends. */
function entry(name: string, env: Record<string, string> = {}, args: string[] = []) {
  return new Promise<{ code: number | null; output: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [file(name), ...args],
      {
        env: {
          PATH: `${process.env.PATH}`,
          NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
          PORT: '0',
          ASSAY_DATA_DIR: data,
          ...env,
        },
        timeout: 120_000,
      },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, output: `${stdout}${stderr}` }),
    )
  })
}

test('given a first start that ended before the samples were crawled, when Assay is started again, then real data is crawled, real defects are found, and later starts have the same', async () => {
  // No key pair is configured, so Assay creates and prints one when it starts.
  const env = { ASSAY_SAMPLES: 'on', ASSAY_ADMIN_ACCESS_KEY: '', ASSAY_ADMIN_SECRET_KEY: '' }
  // Simulates a first start that was stopped during its crawl, independent of the machine's speed.
  const first = await startAssay(data, { env: { ...env, ASSAY_SAMPLES: 'off' } })
  await first.waitForOutput('secretKey: ')
  expect(first.output()).toMatch(/accessKey: assay_ak_\w{49}\n {2}secretKey: assay_sk_\w{49}/)
  const [, accessKey = '', secretKey = ''] = /accessKey: (\S+)\s+secretKey: (\S+)/.exec(first.output()) ?? []
  const pair = { accessKey, secretKey }
  expect((await first.call('POST', `${api}/assemblies`, sampleAssemblyRequest(), pair)).status).toBe(200)
  await first.stop('SIGKILL')

  const second = await startAssay(data, { env })
  await second.waitForOutput('Try:')
  expect(second.output()).toContain("Crawled 'samples': 12 of 12 tables.")
  expect(second.output()).toContain('every movie has a title: 1 of 3201 rows fail')
  expect(second.output()).toContain('released by 2010: 24 of 3201 rows fail')
  expect(second.output()).toContain('damage is a word, not a code: 15 of 10000 rows fail')
  expect(second.output()).toContain('no flight twice: 382 of 3000000 rows fail')
  const assets = await second.call('GET', `${api}/assets?size=500`, undefined, pair)
  expect(assets.json.meta.count).toBeGreaterThan(100)
  const rows = `${api}/rules/data-quality/executions/1/rows?category=bad`
  expect((await second.call('GET', rows, undefined, pair)).json.meta.count).toBe(28)
  const policies = await second.call('GET', `${api}/rules/data-quality`, undefined, pair)
  expect(policies.json.meta.count).toBe(3)
  expect((await second.call('GET', `${api}/assemblies`, undefined, pair)).json.meta.count).toBe(1)
  expect(await second.stop('SIGINT')).toBe(0)

  const third = await startAssay(data, { env })
  await third.waitForOutput('Try:')
  expect(third.output()).not.toMatch(/secretKey: assay_sk|Crawled/)
  expect((await third.call('GET', `${api}/assets?size=500`, undefined, pair)).text).toBe(assets.text)
  const key = { displayName: 'another', validTill: '2099-01-01', permissions: ['ASSET_VIEW'] }
  expect((await third.call('POST', '/admin/api/api-keys', key, pair)).status).toBe(200)
  const deleted = await third.call('DELETE', `${api}/rules/data-quality/1?message=done`, undefined, pair)
  expect(deleted.status).toBeLessThan(300)
  const before = await third.call('GET', `${api}/rules/executions`, undefined, pair)
  expect(before.json.meta.count).toBe(3)
  await expectRefusedStarts(new URL(third.url).port)
  expect((await third.call('GET', '/healthz')).status).toBe(200)
  expect(await third.stop()).toBe(0)

  // Its read models are rebuilt: all of them are byte-equal.
  const { code, output } = await entry('./rebuild.ts')
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringMatching(/executions +3 documents {2}same/) })
  expect(output).not.toContain('changed')
  const fourth = await startAssay(data, { env })
  expect((await fourth.call('GET', `${api}/rules/executions`, undefined, pair)).text).toBe(before.text)
  expect(await fourth.stop()).toBe(0)
}, 180_000)

/** While Assay runs on `port`, no other one starts on its port or its data folder. */
async function expectRefusedStarts(port: string): Promise<void> {
  expect(await entry('./main.ts', { PORT: port, ASSAY_DATA_DIR: join(folder, 'other') })).toEqual({
    code: 1,
    output: expect.stringMatching(/port \d+ .* Set PORT/),
  })
  expect(await entry('./main.ts')).toEqual({
    code: 1,
    output: expect.stringContaining('Another Assay uses the data folder'),
  })
}

describe('given a start that is impossible, then it exits immediately with a sentence', () => {
  test('several bad values and a misspelled variable', async () => {
    expect(await entry('./main.ts', { PORT: 'many', ASSAY_LOG_LEVEL: 'loud', ASSAY_DATADIR: '/tmp' })).toEqual({
      code: 78,
      output: expect.stringMatching(
        /^ASSAY_DATADIR is not known.*\nPORT must be a whole number.*\nASSAY_LOG_LEVEL .*\n$/,
      ),
    })
  })

  test('an unknown option', async () => {
    expect(await entry('./main.ts', {}, ['--fast'])).toEqual({
      code: 78,
      output: expect.stringContaining('--fast is not known'),
    })
  })
})
