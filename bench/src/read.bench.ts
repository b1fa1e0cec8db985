import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAssay } from '@assay/testkit'
import { type BenchRow, interleaved } from './ratio.ts'

const pairs = 7
const requestsOfEach = 5_000
const connections = 16
const warmTurns = 3
const headers = { accessKey: 'assay-test-access-key', secretKey: 'assay-test-secret-key' }

/** CPU time that all threads of a process have used, in microseconds. */
function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const nanoseconds = threads.map((id) =>
    Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'latin1').split(' ')[0]),
  )
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1000
}

function get(agent: Agent, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, headers }, (answer) => {
      answer.resume()
      answer.once('end', () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`${url} answered ${answer.statusCode}`)),
      )
    })
    asked.once('error', reject)
    asked.end()
  })
}

/** Microseconds of CPU of the process `pid` per request. */
async function perRequest(agent: Agent, pid: number, url: string): Promise<number> {
  const before = cpuOf(pid)
  let left = requestsOfEach
  const work = async () => {
    while (left-- > 0) await get(agent, url)
  }
  await Promise.all(Array.from({ length: connections }, work))
  return (cpuOf(pid) - before) / requestsOfEach
}

/** P1: CPU of an authenticated read of an asset, against a bare `node:http` server that answers the same bytes. */
export async function benchRead(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-read-'))
  const lake = join(folder, 'lake')
  mkdirSync(lake)
  writeFileSync(join(lake, 'a.csv'), 'id,name\n1,x\n')
  const assay = await startAssay(join(folder, 'data'), { args: [lake], env: { ASSAY_RATE_LIMIT: '1000000' } })
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const path = '/catalog-server/api/assets/1'
  const { text } = await assay.until(path, (answer) => answer.status === 200)
  const script = `const body = ${JSON.stringify(text)}
    require('node:http').createServer((_, answer) => {
      answer.setHeader('content-type', 'application/json').end(body)
    }).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`
  const bare = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [port] = await once(bare.stdout, 'data')
    const bareUrl = `http://127.0.0.1:${Number(String(port))}/`
    const ofAssay = () => perRequest(agent, assay.pid, `${assay.url}${path}`)
    const ofBare = () => perRequest(agent, bare.pid ?? 0, bareUrl)
    // Warms up both programs, because work of the start and of compiling is not measured here.
    for (let turn = 0; turn < warmTurns; turn += 1) {
      await ofAssay()
      await ofBare()
    }
    const { ratio, subject, baseline } = await interleaved(pairs, ofAssay, ofBare)
    return [
      {
        name: 'P1 CPU of an authenticated GET of an asset',
        ratio,
        target: '<= 2.0',
        detail: `${subject.toFixed(0)} us against ${baseline.toFixed(0)} us of bare node:http`,
      },
    ]
  } finally {
    agent.destroy()
    bare.kill()
    await assay.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
