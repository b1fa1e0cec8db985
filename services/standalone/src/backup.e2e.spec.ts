import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AssayProcess, type HttpAnswer, removeData, startAssay } from '@assay/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'

const api = '/catalog-server/api'
const quality = `${api}/rules/data-quality`
let folder: string
let data: string
const started: AssayProcess[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-backup-'))
  data = join(folder, 'data')
})
afterEach(async () => {
  // Also stops processes of failed tests.
  for (const assay of started.splice(0)) await assay.stop('SIGKILL')
  await removeData(folder)
})

async function start(dataDir: string, args: string[] = []): Promise<AssayProcess> {
  const assay = await startAssay(dataDir, { args })
  started.push(assay)
  return assay
}

/** Runs a policy with one bad row on a crawled table; resolves when its result is stored. */
async function runPolicy(assay: AssayProcess): Promise<number> {
  await assay.until(`${api}/assets/byUid/lake.people.csv`, ({ status }) => status === 200)
  const { json } = await assay.call('POST', quality, {
    rule: { name: 'names', backingAsset: { tableAssetUid: 'lake.people.csv' } },
    items: [{ measurementType: 'MISSING_VALUES', columnName: 'name' }],
  })
  const { id } = (await assay.call('POST', `${quality}/${json.rule.id}/executions`, {})).json.execution
  const hasResult = ({ status, text }: HttpAnswer) => status === 200 && text.includes('"rowsFailed":1')
  await assay.until(`${quality}/executions/${id}/result`, hasResult)
  return id
}

function backup(...args: string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [fileURLToPath(new URL('./backup.ts', import.meta.url)), ...args],
      {
        env: {
          PATH: `${process.env.PATH}`,
          NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
          ASSAY_DATA_DIR: data,
        },
        timeout: 60_000,
      },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, output: `${stdout}${stderr}` }),
    )
  })
}

const makeKey = (assay: AssayProcess, displayName: string) =>
  assay.call('POST', '/admin/api/api-keys', { displayName, validTill: '2099-01-01', permissions: ['ASSET_VIEW'] })

test('given a running Assay, when its data are copied and lost, then a start from the copy has all data', async () => {
  const lake = join(folder, 'lake')
  await mkdir(lake)
  await writeFile(join(lake, 'people.csv'), 'id,name\n1,Ada\n2,\n3,Grace\n')
  const first = await start(data, [lake])
  const run = await runPolicy(first)
  const paths = [
    `${api}/assets?size=500`,
    `${quality}/executions/${run}/rows?category=bad`,
    `${quality}/executions/${run}/result`,
  ]
  const answers = await Promise.all(paths.map((path) => first.call('GET', path)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])

  // Concurrent writes of keys, which the copy may lack.
  let isOver = false
  const writing = (async () => {
    let count = 0
    for (; !isOver; count += 1) expect((await makeKey(first, `key ${count}`)).status).toBeLessThan(300)
    return count
  })()
  const copy = join(folder, 'copies', 'one')
  const made = await backup(copy)
  isOver = true
  expect(await writing).toBeGreaterThan(0)
  expect(made).toMatchObject({ code: 0, output: expect.stringMatching(/the database and \d+ files of results/) })
  expect((await readdir(copy)).toSorted()).toEqual(['assay.db', 'results', 'sealing-key', 'secret'])

  expect(await first.stop('SIGKILL')).toBeNull()
  await removeData(data)
  const second = await start(copy)
  for (const [index, path] of paths.entries()) expect((await second.call('GET', path)).text).toBe(answers[index]?.text)
  // Numeric ids continue after those in the copy.
  expect((await makeKey(second, 'after')).status).toBeLessThan(300)
  expect(await second.stop()).toBe(0)
})

test('given no data folder, or an existing copy, then the error says so, and nothing is written', async () => {
  const none = await backup(join(folder, 'copy'))
  expect(none).toMatchObject({ code: 1, output: expect.stringContaining('There is no backup.') })
  const there = await backup(folder)
  expect(there).toMatchObject({ code: 1, output: expect.stringContaining('already exists') })
  const within = await backup(join(data, 'results', 'copy'))
  expect(within).toMatchObject({ code: 1, output: expect.stringContaining('within the results') })
  expect(await readdir(folder)).toEqual([])
  expect(await backup()).toMatchObject({ code: 78, output: expect.stringContaining('Usage') })
})
