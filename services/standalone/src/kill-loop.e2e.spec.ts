import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type AssayProcess, removeData, startAssay } from '@assay/testkit'
import { afterEach, expect, test } from 'vitest'

/** Set `KILL_CYCLES=50` for a longer test. */
const cycles = Number(process.env.KILL_CYCLES ?? 2)
const quality = '/catalog-server/api/rules/data-quality'
const folders: string[] = []
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => removeData(folder)))
})

interface Acknowledged {
  policies: Map<number, string>
  executions: Set<number>
}

/** Writes until the process is killed; records writes that were answered with 200. */
async function load(assay: AssayProcess, cycle: number, acknowledged: Acknowledged): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    try {
      const name = `policy ${cycle}-${turn}-${Math.round(performance.now() * 1000)}`
      const created = await assay.call('POST', quality, {
        rule: { name, backingAsset: { tableAssetUid: 'lake.rows.csv' } },
        items: [{ measurementType: 'RANGE_MATCH', columnName: 'n', value: { min: 10 } }],
      })
      if (created.status !== 200) throw new Error(created.text)
      const { id } = created.json.rule
      acknowledged.policies.set(id, name)
      const started = await assay.call('POST', `/api/webhook/rules/executions/${id}`)
      if (started.status === 200) acknowledged.executions.add(started.json.execution.id)
    } catch (error) {
      if (error instanceof TypeError) return
      throw error
    }
  }
}

async function resultFiles(folder: string): Promise<string[]> {
  const entries = await readdir(join(folder, 'data', 'results'), { recursive: true, withFileTypes: true }).catch(
    () => [],
  )
  return entries.filter((entry) => entry.isFile() && !entry.parentPath.includes('.staging')).map((entry) => entry.name)
}

test(`given constant writes and runs, when the process is killed ${cycles} times, then no acknowledged write is lost`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-kill-'))
  folders.push(folder)
  const lake = join(folder, 'lake')
  await mkdir(lake)
  await writeFile(
    join(lake, 'rows.csv'),
    `n,t\n${Array.from({ length: 20_000 }, (_, n) => `${n % 100},x${n}`).join('\n')}\n`,
  )
  const acknowledged: Acknowledged = { policies: new Map(), executions: new Set() }
  const data = join(folder, 'data')

  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const assay = await startAssay(data, { args: [lake] })
    await assay.until('/catalog-server/api/assets/byUid/lake.rows.csv', (answer) => answer.status === 200)
    const writers = [load(assay, cycle, acknowledged), load(assay, cycle, acknowledged)]
    const before = acknowledged.policies.size
    const startedBefore = acknowledged.executions.size
    while (acknowledged.policies.size === before) await pause(5)
    // A run that starts in the last cycle is killed at most once, so it must succeed.
    while (cycle === cycles - 1 && acknowledged.executions.size === startedBefore) await pause(5)
    // The pause varies the time of the kill.
    await pause((cycle * 137) % 700)
    await assay.stop('SIGKILL')
    await Promise.all(writers)
  }

  const assay = await startAssay(data, { args: [lake] })
  try {
    for (const [id, name] of acknowledged.policies) {
      const read = await assay.call('GET', `${quality}/${id}`)
      expect(read.json.rule).toMatchObject({ id, name, version: 1 })
    }
    let successful = 0
    for (const id of acknowledged.executions) {
      const ended = await assay.until(
        `${quality}/executions/${id}/result`,
        (answer) => answer.status === 200 && answer.json.execution.executionStatus !== 'RUNNING',
        120_000,
      )
      const { executionStatus, executionError } = ended.json.execution
      if (executionStatus === 'FAILED') {
        // After three kills a run fails with this reason.
        expect(executionError).toMatch(/three times/)
        continue
      }
      successful += 1
      // 10 of 100 values are below 10; a resumed run counts the same.
      expect(ended.json.items[0]).toMatchObject({ rowsScanned: 20_000, rowsFailed: 2_000 })
    }
    expect(acknowledged.policies.size).toBeGreaterThanOrEqual(cycles)
    expect(successful).toBeGreaterThan(0)
    expect(
      (await resultFiles(folder)).filter(
        (name) => !/^(part-\d+\.(parquet|csv|json)|preview\.json|.*\.json)$/.test(name),
      ),
    ).toEqual([])
  } finally {
    expect(await assay.stop()).toBe(0)
  }
}, 900_000)
