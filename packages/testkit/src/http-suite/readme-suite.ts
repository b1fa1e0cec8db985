import { execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { freePort } from '../../../../tools/servers/ports.mjs'
import { createClient } from './client.ts'
import type { Hearing } from './mails-suite.ts'
import type { Target } from './target.ts'

const run = promisify(execFile)
const readme = fileURLToPath(new URL('../../../../README.md', import.meta.url))
const ciPage = fileURLToPath(new URL('../../../../docs/ci.md', import.meta.url))
const api = '/catalog-server/api'

/** The shell block that follows `<!-- run: name -->`. */
function block(text: string, name: string): string {
  const found = new RegExp(`<!-- run: ${name} -->\\s*\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(text)?.[1]
  if (found === undefined) throw new Error(`README.md has no block to run named '${name}'.`)
  return found
}

/** Starts a shell block in the background. Resolves when its output contains `ready`; `stop` also ends its children. */
async function inBackground(script: string, env: Record<string, string>, ready?: string) {
  const child = spawn('bash', ['-c', script], { env: { PATH: `${process.env.PATH}`, ...env }, detached: true })
  const shown = { text: '' }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (shown.text += part))
  const until = (text: string) => expect.poll(() => shown.text, { timeout: 60_000, interval: 50 }).toContain(text)
  if (ready !== undefined) await until(ready)
  return { until, stop: () => process.kill(-(child.pid ?? 0), 'SIGTERM') }
}

/**
 * README's commands, word for word, but for the port of its receiver. Only `npm start -- my-data` is replaced, by HTTP
 * requests that crawl the folder. Without `hearing`, the commands about notifications are left out.
 */
export function readmeSuite(open: () => Promise<Target>, hearing?: Hearing): void {
  describe("README's first policy", () => {
    test('given its commands, when they run unchanged, then they have the described results', async (context) => {
      const { baseUrl, admin, sharedFolder } = await open()
      const client = createClient({ baseUrl }, admin)
      if ((await client.call('GET', `${api}/assemblies/my-data`)).status === 200)
        context.skip("this installation has an assembly named 'my-data' already")
      const folder = await mkdtemp(join(sharedFolder, 'readme-'))
      // Assay may run as another user, as in a container.
      await chmod(folder, 0o755)
      const text = await readFile(readme, 'utf8')
      const shell = (script: string, env: Record<string, string> = {}) =>
        run('bash', ['-eu', '-o', 'pipefail', '-c', script], {
          cwd: folder,
          env: { PATH: `${process.env.PATH}`, ...env },
        })

      await shell(block(text, 'data'))
      const source = { name: 'my-data', sourceType: 'FILE', configuration: { path: join(folder, 'my-data') } }
      await client.good('POST', `${api}/assemblies`, source)
      await client.until(`${api}/assets/byUid/my-data.orders.csv`, ({ status }) => status === 200)
      const env = { ASSAY: baseUrl, ACCESS_KEY: admin.accessKey, SECRET_KEY: admin.secretKey }
      // Both blocks are run as one script, because the second block waits for the result of the first.
      const commands = `${block(text, 'policy')}\n${block(text, 'result')}`
      const started = await shell(`${commands}\necho; echo "RUN=$RUN POLICY=$POLICY"`, env)
      const [, RUN = ''] = /RUN=(\d+)/.exec(started.stdout) ?? []
      expect(started.stdout).toMatch(/RUN=\d+ POLICY=\d+/)
      const path = `${api}/rules/data-quality/executions/${RUN}/result`
      const ended = await client.until(
        path,
        ({ status, json }) => status === 200 && json.execution.executionStatus !== 'RUNNING',
      )

      expect(ended.json.execution).toMatchObject({ executionStatus: 'SUCCESSFUL', resultStatus: 'ERRORED' })
      // Expected defects. customer: line 4; e-mail: two without a domain (a missing one passes); amount: -5; country:
      // XX; two equal rows.
      expect(ended.json.items.map((item: { rowsFailed: number }) => item.rowsFailed)).toEqual([1, 2, 1, 1, 2])
      expect(started.stdout).toContain('"ruleItemIds"')
      expect((await stat(join(folder, 'bad-rows.parquet'))).size).toBeGreaterThan(100)

      // The script of docs/ci.md fails for a policy that the data violates, and succeeds for one that the data satisfies.
      const gate = block(await readFile(ciPage, 'utf8'), 'gate')
      const [, POLICY_ID = ''] = /POLICY=(\d+)/.exec(started.stdout) ?? []
      await expect(shell(gate, { ...env, POLICY_ID })).rejects.toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/run \d+: ERRORED\n$/),
      })
      await expect(shell(gate, { ...env, POLICY_ID: '999999999' })).rejects.toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(/^\{"errors":\[\{"message":.*"status":404/m),
      })
      const kept = await client.good('POST', `${api}/rules/data-quality`, {
        rule: { name: 'orders have ids', backingAsset: { tableAssetUid: 'my-data.orders.csv' } },
        items: [{ measurementType: 'MISSING_VALUES', columnName: 'order_id' }],
      })
      const passed = await shell(gate, { ...env, POLICY_ID: String(kept.rule.id) })
      expect(passed.stdout).toMatch(/run \d+: SUCCESSFUL\n$/)

      if (hearing === undefined) return
      const { mails } = await hearing()
      const port = String(await freePort())
      const receiver = await inBackground(block(text, 'receiver').replace('9999', port), env)
      const stream = await inBackground(block(text, 'stream'), env, ': events follow')
      try {
        const [define] = block(text, 'policy').split('\n')
        await shell(`${define}\n${block(text, 'watch').replace('9999', port)}`, { ...env, POLICY: POLICY_ID })
        const title = 'orders are clean on my-data.orders.csv: failed'
        const listed = `${api}/notifications?policyId=${POLICY_ID}`
        await client.until(listed, ({ json }) => json.data.some((one: { title: string }) => one.title === title))
        await receiver.until(`"title":"${title}"`)
        await stream.until('"type":"io.assay.execution.ExecutionFinished"')
        await expect.poll(() => mails.map(({ text: mail }) => mail).join(), { timeout: 60_000 }).toContain(title)
      } finally {
        receiver.stop()
        stream.stop()
      }
    }, 300_000)
  })
}
