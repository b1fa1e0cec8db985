import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAssay } from '@assay/testkit'
import { openReceiver } from '@assay/testkit/receiver'
import { cpuMs, load } from './distributed-servers.ts'
import type { BenchRow } from './ratio.ts'

const api = '/catalog-server/api'
/** Comments on one table, each sent to every channel. */
const comments = 40
const channels = 100

/** The same requests without Assay: bare posts, 16 at a time. Returns messages per second. */
async function bare(url: string, count: number, body: string): Promise<number> {
  const left = Array.from({ length: count }).values()
  const began = performance.now()
  const post = async () => {
    for (const _ of left) await (await fetch(url, { method: 'POST', body })).arrayBuffer()
  }
  await Promise.all(Array.from({ length: 16 }, post))
  return count / ((performance.now() - began) / 1_000)
}

/** Webhook deliveries a second, from the log to the receiver and back to the log, against bare posts. */
export async function benchDeliveries(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-deliveries-'))
  const lake = join(folder, 'lake')
  mkdirSync(lake)
  writeFileSync(join(lake, 'a.csv'), 'id,name\n1,x\n')
  const receiver = await openReceiver()
  const env = { ASSAY_NOTIFY_ALLOWED_ADDRESSES: '127.0.0.1' }
  const assay = await startAssay(join(folder, 'data'), { args: [lake], env })
  try {
    const { json } = await assay.until(`${api}/assets/byUid/lake.a.csv`, ({ status }) => status === 200)
    const asset = `${api}/assets/${json.data.id}`
    while ((await assay.call('POST', `${asset}/watch`)).status !== 200);
    const ids: number[] = []
    const create = async (enabled: boolean) => {
      const sent = {
        name: 'x',
        type: 'WEBHOOK',
        configuration: { url: receiver.url },
        kinds: ['COMMENT_ADDED'],
        enabled,
      }
      const answer = await assay.call('POST', `${api}/notification-channels`, sent)
      if (answer.status !== 200) throw new Error(answer.text)
      ids.push(answer.json.data.id)
    }
    for (let number = 0; number < channels; number += 1) await create(true)
    const count = comments * channels
    const cpu = cpuMs(assay.pid)
    const began = performance.now()
    const write = async (number: number) => {
      const { status, text } = await assay.call('POST', `${asset}/comments`, { comment: `no ${number}` })
      if (status >= 300) throw new Error(text)
    }
    for (let number = 0; number < comments; number += 1) await write(number)
    await receiver.until(count)
    const perSecond = count / ((performance.now() - began) / 1_000)
    const cpuOfEach = (cpuMs(assay.pid) - cpu) / count
    const body = receiver.received.at(-1)?.body ?? ''
    const baseline = await bare(receiver.url, count, body)
    return [
      {
        name: `webhook deliveries to ${channels} channels: bare posts a second against deliveries`,
        ratio: baseline / perSecond,
        target: 'at least 500 deliveries a second',
        detail: `${Math.round(perSecond)} deliveries/s, ${cpuOfEach.toFixed(2)} ms of CPU each, ${Math.round(baseline)} bare posts/s, ${load()}`,
      },
    ]
  } finally {
    await assay.stop()
    await receiver.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
