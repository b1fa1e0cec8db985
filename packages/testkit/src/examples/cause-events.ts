import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HttpClient } from '../http-suite/client.ts'

const api = '/catalog-server/api'
const columns = 'order_id,amount\n'
/** Four orders. The last `missing` of them have no amount. */
const orders = (missing: number) =>
  columns + [1, 2, 3, 4].map((id) => `${id},${id > 4 - missing ? '' : `${id}0.50`}\n`).join('')

/**
 * Causes the events that the calls of all operations do not cause: files change, vanish and return, an incident opens,
 * worsens and recovers, and runs and crawls fail. `folder`: where the files are written.
 */
export async function causeEvents(client: HttpClient, folder: string): Promise<void> {
  const file = join(folder, 'orders.csv')
  await mkdir(folder, { recursive: true })
  await writeFile(file, orders(0))
  const assembly = { name: 'lake', sourceType: 'FILE', configuration: { path: folder } }
  const { id: assemblyId } = (await client.good('POST', `${api}/assemblies`, assembly)).data
  const crawled = async () => {
    const { json } = await client.until(
      `${api}/assemblies/${assemblyId}/crawls`,
      ({ json }) => json.data[0]?.status !== 'RUNNING',
    )
    return json.data[0].status
  }
  const crawl = async () => {
    await client.eventually(() => client.good('POST', `${api}/assemblies/${assemblyId}/crawl`, {}))
    return crawled()
  }
  await crawled()
  const threshold = { type: 'ABSOLUTE', config: { direction: 'ABOVE', success: 100, warning: 60 } }
  const policy = {
    rule: { name: 'orders have amounts', backingAsset: { tableAssetUid: 'lake.orders.csv' } },
    items: [{ measurementType: 'MISSING_VALUES', columnName: 'amount', thresholdConfig: threshold }],
  }
  const { rule } = await client.eventually(() => client.good('POST', `${api}/rules/data-quality`, policy))
  const run = async () => {
    const { execution } = await client.eventually(() => client.good('POST', `/api/webhook/rules/executions/${rule.id}`))
    const path = `${api}/rules/data-quality/executions/${execution.id}`
    await client.until(path, ({ json }) => json.execution.executionStatus !== 'RUNNING')
  }
  await run()
  for (const missing of [1, 2]) {
    await writeFile(file, orders(missing))
    await run()
  }
  const listed = await client.until(
    `${api}/incidents?policyId=${rule.id}`,
    ({ json }) => json.data[0]?.verdict === 'ERRORED',
  )
  const incident = `${api}/incidents/${listed.json.data[0].id}`
  const snoozedUntil = new Date(Date.now() + 3_600_000).toISOString()
  for (const change of [{ acknowledged: true }, { assignee: 'ann' }, { snoozedUntil }, { snoozedUntil: null }])
    await client.good('PUT', incident, change)
  await client.good('PUT', incident, { acknowledged: false })
  await writeFile(file, orders(0))
  await run()
  await client.good('PUT', incident, { status: 'CLOSED', cause: 'The export was cut off.' })
  await writeFile(file, 'order_id,amount,currency\n1,10.50,EUR\n')
  await crawl()
  await rename(file, `${file}.away`)
  await run()
  await client.good('POST', `${api}/assets/${rule.backingAsset.tableAssetId}/profile`, {
    data: { profilingType: 'FULL' },
  })
  await crawl()
  await rename(`${file}.away`, file)
  await crawl()
  for (const enable of [false, true]) await client.good('PUT', `${api}/rules/${rule.id}/enable`, { enable })
  await rm(folder, { recursive: true })
  await crawl()
}
