import { spawn } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventTypes } from '@assay/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import { readEvents } from '../examples/read-events.ts'
import { createClient, type HttpClient } from './client.ts'
import { makeAssembly, newUniqueName } from './fixtures.ts'
import type { Target } from './target.ts'

const api = '/catalog-server/api'
const page = fileURLToPath(new URL('../../../../docs/events.md', import.meta.url))

/** The program in docs/events.md that follows `<!-- run: name -->`. */
async function program(name: string): Promise<string> {
  const found = new RegExp(`<!-- run: ${name} -->\\s*\`\`\`js\\n([\\s\\S]*?)\`\`\``).exec(
    await readFile(page, 'utf8'),
  )?.[1]
  if (found === undefined) throw new Error(`docs/events.md has no program named '${name}'.`)
  return found
}

/**
 * The stream of public events, and the programs of docs/events.md. `brokers`: the brokers of the distributed form, and
 * a folder from which a program can import kafkajs.
 */
export function eventsSuite(
  open: () => Promise<Target>,
  { brokers }: { brokers?: () => Promise<{ address: string; folder: string }> } = {},
): void {
  describe('the stream of events', () => {
    const uniqueName = newUniqueName()
    let target: Target
    let client: HttpClient
    let policyId: number

    beforeAll(async () => {
      target = await open()
      client = createClient(target, target.admin)
      await makeAssembly(client, target.sharedFolder, uniqueName)
      const { rule } = await client.eventually(() =>
        client.good('POST', `${api}/rules/data-quality`, {
          rule: { name: `${uniqueName} is empty`, backingAsset: { tableAssetUid: `${uniqueName}.people.csv` } },
          items: [{ measurementType: 'CUSTOM', ruleExpression: 'false' }],
        }),
      )
      policyId = rule.id
    }, 300_000)

    /**
     * Runs a program of the page. Runs the policy repeatedly until the program has ended. Returns how the program
     * ended.
     */
    async function runBeside(name: string, env: Record<string, string>, folder: string) {
      const path = join(folder, `${name}.mjs`)
      await writeFile(path, await program(name))
      const asset = { ASSET_UID: `${uniqueName}.people.csv` }
      const child = spawn(process.execPath, [path], { env: { ...process.env, ...asset, ...env } })
      let errors = ''
      child.stderr.on('data', (part) => {
        errors += part
      })
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
      let isOver = false
      void ended.then(() => {
        isOver = true
      })
      // The program sees only runs that end after it has connected.
      while (!isOver) {
        await client.call('POST', `/api/webhook/rules/executions/${policyId}?wait=30`)
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 500))])
      }
      return { code: await ended, errors }
    }

    const failed = () => ({ code: 1, errors: expect.stringContaining(`'${uniqueName} is empty' is ERRORED.\n`) })

    test('given the program of the page, when a policy on its input is ERRORED, then it exits with 1', async () => {
      const { admin, baseUrl } = target
      const env = { ASSAY: baseUrl, ACCESS_KEY: admin.accessKey, SECRET_KEY: admin.secretKey }
      expect(await runBeside('sse', env, await mkdtemp(join(tmpdir(), 'assay-events-')))).toEqual(failed())
    }, 120_000)

    if (brokers !== undefined)
      test('given the program for Kafka, when a policy on its input is ERRORED, then it exits with 1', async () => {
        const { address, folder } = await brokers()
        expect(await runBeside('kafka', { KAFKA: address }, folder)).toEqual(failed())
      }, 120_000)

    test('given a policy that is ERRORED, then its metrics say so, with its score and the time of the run', async () => {
      const { status, text } = await client.call('GET', `${api}/metrics/policies?limit=1000`)
      expect(status).toBe(200)
      const of = `\\{policy_id="${policyId}",policy="${uniqueName} is empty",type="DATA_QUALITY",asset="${uniqueName}.people.csv"\\}`
      for (const line of [`verdict${of} 2`, `score${of} 0`, `last_run_timestamp_seconds${of} 1\\d{9}(\\.\\d+)?`])
        expect(text).toMatch(new RegExp(`^assay_policy_${line}$`, 'm'))
    })

    test('given all that has happened, when it is read again, then each event has a documented type and fits its schema', async () => {
      const { id } = await client.good('POST', `${api}/tags`, { name: newUniqueName() })
      const { baseUrl, admin: pair } = target
      const events = await readEvents({ baseUrl, pair, since: '2000-01-01' }, ({ subject }) => subject === `tag/${id}`)
      const faults = events.flatMap(({ type, subject, source, data }) => {
        const known = eventTypes.get(type)
        const error = known?.data.safeParse(data).error
        const isNamed = /^\/assay\/default\/[a-z]+$/.test(source) && subject.split('/')[0] === known?.entity
        return known && !error && isNamed ? [] : [{ type, subject, source, error: error?.message }]
      })
      expect(faults).toEqual([])
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
    }, 120_000)

    test('given a token, when the stream is opened with it, then it has the events since then, for a client without headers', async () => {
      const { token } = await client.good('POST', `${api}/events/token`, {})
      const url = `${target.baseUrl}${api}/events?since=2000-01-01&type=io.assay.policy.*&token=${encodeURIComponent(token)}`
      const response = await fetch(url)
      const reader = response.body?.getReader()
      expect(response.status).toBe(200)
      let text = ''
      while (!text.includes('\nevent: io.assay.policy.PolicyCreated\n'))
        text += new TextDecoder().decode((await reader?.read())?.value)
      await reader?.cancel()
      expect((await fetch(`${url}x`)).status).toBe(401)
    }, 60_000)

    test.each([
      ['type=io.assay.policy.PolicyRenamed', 400],
      ['lastEventId=never', 410],
    ])('given %s, then %i', async (query, status) => {
      expect((await client.call('GET', `${api}/events?${query}`)).status).toBe(status)
    })
  })
}
