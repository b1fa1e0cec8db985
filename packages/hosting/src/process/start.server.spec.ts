import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { freePort } from '../../../../tools/servers/ports.mjs'

const services = ['catalog', 'policy', 'execution', 'sampling', 'notification', 'gateway']
const nobody = '127.0.0.1:1'

/** An address without a server. */
const environment: Record<string, Record<string, string>> = {
  policy: { ASSAY_EXECUTION_URL: `http://${nobody}` },
  catalog: { ASSAY_RESULTS_DIR: `${tmpdir()}/assay-never-made` },
  execution: { ASSAY_RESULTS_DIR: `${tmpdir()}/assay-never-made` },
  sampling: { ASSAY_RESULTS_DIR: `${tmpdir()}/assay-never-made` },
  notification: { ASSAY_EXECUTION_URL: `http://${nobody}` },
  gateway: {
    ASSAY_ADMIN_ACCESS_KEY: 'assay-test-access-key',
    ASSAY_ADMIN_SECRET_KEY: 'assay-test-secret-key',
    ASSAY_CATALOG_URL: `http://${nobody}`,
    ASSAY_POLICY_URL: `http://${nobody}`,
    ASSAY_EXECUTION_URL: `http://${nobody}`,
  },
}

/** Runs a main until it exits; `onOutput` may stop it. */
function run(service: string, more: Record<string, string>, onOutput: (text: string, pid: number) => void = () => {}) {
  const bus = { ASSAY_KAFKA_BROKERS: nobody }
  const main = fileURLToPath(new URL(`../../../../services/${service}/src/main.ts`, import.meta.url))
  return new Promise<{ code: number | null; output: string }>((resolve) => {
    const child = spawn(process.execPath, [main], {
      env: {
        PATH: process.env.PATH ?? '',
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
        PORT: '0',
        ASSAY_IDENTITY_SECRET: 'a secret of at least thirty-two characters',
        ASSAY_EVENTSTOREDB_URL: `esdb://${nobody}?tls=false`,
        ASSAY_MONGODB_URL: `mongodb://${nobody}/?serverSelectionTimeoutMS=200`,
        ...environment[service],
        ...bus,
        ...more,
      },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
        onOutput(output, child.pid ?? 0)
      })
    child.once('exit', (code) => resolve({ code, output }))
  })
}

test('given a bad environment, when a service starts, then it exits with 78 and a sentence for each problem', async () => {
  const ended = await run('policy', { ASSAY_EVENT_STORE: 'sqlite', ASSAY_SLIP: '1' })
  expect(ended.code).toBe(78)
  expect(ended.output).toMatch(/ASSAY_SLIP is not known(.*)\nASSAY_EVENT_STORE must be eventstoredb in a service/)
})

// Concurrent, because each test mostly waits for its own process.
describe.concurrent('given servers that are down', () => {
  test('when a service must not wait, then it exits with 1 and a sentence', async () => {
    const ended = await run('gateway', { ASSAY_START_WAIT_SECONDS: '0' })
    // The bus stores its parked messages in the documents, so those are opened first.
    expect(ended).toEqual({ code: 1, output: expect.stringMatching(/The gateway service did not start\. MongoDB/) })
  })

  test.each(services)(
    'when %s waits for them, then it is alive and not ready, names them only in the log, and exits with 0 on SIGTERM',
    async (service) => {
      const port = await freePort()
      const base = `http://127.0.0.1:${port}`
      let answers: Promise<[number, string][]> | undefined
      const ask = async (path: string): Promise<[number, string]> => {
        const response = await fetch(`${base}${path}`)
        return [response.status, await response.text()]
      }
      const ended = await run(service, { PORT: String(port), ASSAY_HOST: '127.0.0.1' }, (text, pid) => {
        if (answers !== undefined || !text.includes('the start waits')) return
        answers = Promise.all(['/healthz', '/readyz', '/catalog-server/api/assets'].map(ask)).finally(() =>
          process.kill(pid, 'SIGTERM'),
        )
      })
      expect(ended).toMatchObject({ code: 0 })
      const [alive, ready, other] = (await answers) ?? []
      expect(alive?.[0]).toBe(200)
      expect(ready).toEqual([503, expect.stringContaining(`${service} is not ready. It waits`)])
      expect(ready?.[1]).not.toMatch(/127|MongoDB|Kafka/)
      expect(ended.output).toMatch(/MongoDB|Kafka/)
      expect(other?.[0]).toBe(503)
    },
  )
})
