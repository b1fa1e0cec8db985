import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startAssay } from '@assay/testkit'
import { afterEach, expect, test } from 'vitest'

const run = promisify(execFile)
const readme = fileURLToPath(new URL('../../../README.md', import.meta.url))
const folders: string[] = []
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })))
})

/** The shell block that follows `<!-- run: name -->`. */
function block(text: string, name: string): string {
  const found = new RegExp(`<!-- run: ${name} -->\\s*\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(text)?.[1]
  if (found === undefined) throw new Error(`README.md has no block to run named '${name}'.`)
  return found
}

test('given the README, when its commands are typed as they stand, then they do what it says', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-readme-'))
  folders.push(folder)
  const text = await readFile(readme, 'utf8')
  const shell = (script: string, env: Record<string, string> = {}) =>
    run('bash', ['-eu', '-o', 'pipefail', '-c', script], { cwd: folder, env: { PATH: `${process.env.PATH}`, ...env } })

  await shell(block(text, 'data'))
  const assay = await startAssay(join(folder, 'data'), { args: [join(folder, 'my-data')] })
  try {
    await assay.until('/catalog-server/api/assets/byUid/my-data.orders.csv', (answer) => answer.status === 200)
    const env = { ASSAY: assay.url, ACCESS_KEY: 'assay-test-access-key', SECRET_KEY: 'assay-test-secret-key' }
    const started = await shell(`${block(text, 'policy')}\necho; echo "RUN=$RUN POLICY=$POLICY"`, env)
    const [, RUN = ''] = /RUN=(\d+)/.exec(started.stdout) ?? []
    const path = `/catalog-server/api/rules/data-quality/executions/${RUN}/result`
    const ended = await assay.until(path, (answer) => answer.json.execution.executionStatus !== 'RUNNING')

    expect(ended.json.execution).toMatchObject({ executionStatus: 'SUCCESSFUL', resultStatus: 'ERRORED' })
    // customer: line 4; e-mail: two without a domain (a missing one passes); amount: -5; country: XX; two equal rows.
    expect(ended.json.items.map((item: { rowsFailed: number }) => item.rowsFailed)).toEqual([1, 2, 1, 1, 2])
    const helper = block(text, 'policy').split('\n')[0]
    const shown = await shell(`${helper}\n${block(text, 'result')}`, { ...env, RUN })
    expect(shown.stdout).toContain('"ruleItemIds"')
    expect((await stat(join(folder, 'bad-rows.parquet'))).size).toBeGreaterThan(100)
  } finally {
    expect(await assay.stop()).toBe(0)
  }
})
