import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { type AssayProcess, startAssay } from '../../packages/testkit/src/index.ts'
import { freePorts } from '../../tools/servers/ports.mjs'
import { isThere, program, run } from '../helm/tools.ts'
import { fileOf, queries } from './queries.ts'

const isHere = isThere('prometheus') && isThere('promtool')
const quality = '/catalog-server/api/rules/data-quality'
const answer = z.object({ status: z.literal('success'), data: z.object({ result: z.array(z.unknown()) }) })
let folder: string
let assay: AssayProcess
let prometheus: { url: string; stop(): Promise<void> }

/** A Prometheus that scrapes `target` every second. */
async function startPrometheus(target: string): Promise<typeof prometheus> {
  const [port = 0] = await freePorts(1)
  const config = join(folder, 'prometheus.yml')
  await writeFile(
    config,
    `global: { scrape_interval: 1s }\nscrape_configs: [{ job_name: assay, static_configs: [{ targets: ['${target}'] }] }]\n`,
  )
  const flags = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'tsdb')}`]
  const child = spawn(program('prometheus'), [...flags, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function ask(query: string): Promise<readonly unknown[]> {
  const response = await fetch(`${prometheus.url}/api/v1/query?query=${encodeURIComponent(query)}`)
  return answer.parse(await response.json()).data.result
}

beforeAll(async () => {
  if (!isHere) return
  folder = await mkdtemp(join(tmpdir(), 'assay-prometheus-'))
  const lake = join(folder, 'lake')
  await mkdir(lake)
  await writeFile(join(lake, 'people.csv'), 'id,name\n1,Ada\n2,\n')
  assay = await startAssay(join(folder, 'data'), { args: [lake] })
  prometheus = await startPrometheus(new URL(assay.url).host)
  await assay.until('/catalog-server/api/assets/byUid/lake.people.csv', ({ status }) => status === 200)
  const { json } = await assay.call('POST', quality, {
    rule: { name: 'names', backingAsset: { tableAssetUid: 'lake.people.csv' } },
    items: [{ name: 'has a name', measurementType: 'MISSING_VALUES', columnName: 'name' }],
  })
  await assay.call('POST', `${quality}/${json.rule.id}/executions`, {})
  await vi.waitFor(
    async () => expect(await ask('sum(assay_runs_ended_total) > 0 and count(assay_runs) > 1')).toHaveLength(1),
    { timeout: 40_000, interval: 500 },
  )
}, 180_000)
afterAll(async () => {
  if (!isHere) return
  await prometheus.stop()
  await assay.stop()
  await rm(folder, { recursive: true, force: true })
})

test.skipIf(!isHere)('given the alerts, then promtool accepts them', async () => {
  const { spec } = z.object({ spec: z.unknown() }).parse(parse(fileOf('assay-rules.yaml')))
  const file = join(folder, 'rules.json')
  await writeFile(file, JSON.stringify(spec))
  expect(run('promtool', ['check', 'rules', file])).toMatchObject({ code: 0 })
})

test.skipIf(!isHere)(
  'given a Prometheus that scrapes Assay, then the query of each alert and panel returns the expected result',
  async () => {
    // A healthy Assay fires no alert, the embedded form has no metrics of replicas and gateways, and here nobody watches an
    // asset.
    const mayBeEmpty = (of: string, text: string) =>
      /^Assay/.test(of) || /assay_(lease_held|upstream|deliveries)|status=~"5\.\."/.test(text)
    // A rate needs two scrapes.
    await vi.waitFor(
      async () => {
        const empty: string[] = []
        for (const { of, text } of queries())
          if ((await ask(text)).length === 0 && !mayBeEmpty(of, text)) empty.push(`${of}: ${text}`)
        expect(empty).toEqual([])
      },
      { timeout: 50_000, interval: 1000 },
    )
  },
)

test.skipIf(!isHere)('given the metric with which KEDA scales execution, then it is one number', async () => {
  const [, selector = ''] = /valueLocation: '([^']+)'/.exec(fileOf('../helm/assay/templates/autoscaling.yaml')) ?? []
  expect(await ask(selector)).toHaveLength(1)
})
