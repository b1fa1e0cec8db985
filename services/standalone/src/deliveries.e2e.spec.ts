import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AssayProcess, removeData, startAssay } from '@assay/testkit'
import { openReceiver } from '@assay/testkit/receiver'
import { afterEach, expect, test } from 'vitest'

const api = '/catalog-server/api'
const env = { ASSAY_NOTIFY_ALLOWED_ADDRESSES: '127.0.0.1' }
const count = 40
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

test('given a webhook, when Assay is killed in the middle of its deliveries, then none is lost, only deliveries in flight are repeated, and the order is kept', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-deliveries-'))
  closing.push(() => removeData(folder))
  await mkdir(join(folder, 'lake'))
  await writeFile(join(folder, 'lake', 'people.csv'), 'id,name\n1,Ada\n')
  const receiver = await openReceiver({
    answer: (response) => void setTimeout(() => response.writeHead(204).end(), 20),
  })
  closing.push(() => receiver.close())
  let assay: AssayProcess = await startAssay(join(folder, 'data'), { env })
  closing.push(() => assay.stop('SIGKILL'))
  const source = { name: 'lake', sourceType: 'FILE', configuration: { path: join(folder, 'lake') } }
  while ((await assay.call('POST', `${api}/assemblies`, source)).status !== 200);
  const { json } = await assay.until(`${api}/assets/byUid/lake.people.csv`, ({ status }) => status === 200)
  await assay.until(`${api}/assets?uid=lake.people.csv`, ({ status }) => status === 200)
  const asset = `${api}/assets/${json.data.id}`
  while ((await assay.call('POST', `${asset}/watch`)).status !== 200);
  const sent = { name: 'x', type: 'WEBHOOK', configuration: { url: receiver.url }, kinds: ['COMMENT_ADDED'] }
  const { json: made } = await assay.call('POST', `${api}/notification-channels`, sent)
  await Promise.all(
    Array.from({ length: count }, (_, number) => assay.call('POST', `${asset}/comments`, { comment: `no ${number}` })),
  )

  await receiver.until(8)
  await assay.stop('SIGKILL')
  const before = receiver.received.length
  assay = await startAssay(join(folder, 'data'), { env })
  const path = `${api}/notification-channels/${made.data.id}/deliveries?status=DELIVERED&size=0`
  await assay.until(path, (answer) => answer.status === 200 && answer.json.meta.count === count)

  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids).size).toBe(count)
  expect(before).toBeLessThan(count)
  // The messages about one asset are sent one at a time.
  expect(ids.length).toBeLessThanOrEqual(count + 1)
  const rows = [...new Set(receiver.received.map(({ body }) => Number(JSON.parse(body).data.id)))]
  expect(rows).toEqual(rows.toSorted((a, b) => a - b))
}, 120_000)
