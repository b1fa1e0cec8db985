import { executionKinds, gatewayOperations } from '@assay/contracts'
import { describe, expect, test } from 'vitest'
import { decodedMail, type MailSink } from '../mail-sink.ts'
import { createClient } from './client.ts'
import { makeAssembly, newUniqueName } from './fixtures.ts'
import type { Target } from './target.ts'

const api = '/catalog-server/api'
const quality = `${api}/rules/data-quality`

/** The server that gets the mails of the tested Assay, which must allow webhooks to 127.0.0.1. */
export type Hearing = () => Promise<Pick<MailSink, 'mails'>>

/** Mails about runs. */
export function mailsSuite(open: () => Promise<Target>, hearing: Hearing): void {
  describe('mails about runs', () => {
    test('given a protected column, when a run finds bad rows, then the mail shows the rows without its values', async () => {
      const { mails } = await hearing()
      const target = await open()
      const admin = createClient(target, target.admin)
      const client = admin.as(await admin.good('POST', gatewayOperations.createTenant.path, { name: newUniqueName() }))
      const uniqueName = newUniqueName()
      const more = { 'staff.csv': 'id,name,pay\n1,Ada,secret one\nseven,,secret two\n' }
      await makeAssembly(client, target.sharedFolder, uniqueName, more)
      const uid = `${uniqueName}.staff.csv`
      const idOf = async (path: string) =>
        (await client.eventually(() => client.good('GET', `${api}/assets/byUid/${path}`))).data.id
      const table = await idOf(uid)
      const tag = { name: newUniqueName() }
      await client.good('POST', `${api}/tags`, { ...tag, protectedData: true })
      await client.good('POST', `${api}/assets/${await idOf(`${uid}.pay`)}/tag`, tag)
      const { rule } = await client.eventually(() =>
        client.good('POST', quality, {
          rule: { name: uniqueName, backingAsset: { tableAssetUid: uid } },
          items: [{ name: 'has a name', measurementType: 'MISSING_VALUES', columnName: 'name' }],
        }),
      )
      const run = async (): Promise<number> => {
        const start = () => client.good('POST', `${quality}/${rule.id}/executions?wait=60`, {})
        return (await client.eventually(start)).execution.id
      }
      const reader = client.as(await client.key(['ASSET_VIEW', 'POLICY_VIEW']))
      const rows = executionKinds.DATA_QUALITY.rows.path.replace('{id}', String(await run()))
      await reader.until(rows, ({ status, text }) => status === 200 && text.includes('***'))

      const to = `${uniqueName}@example.org`
      const channel = { name: 'mail', type: 'EMAIL', configuration: { to: [to] }, kinds: ['EXECUTION_ERRORED'] }
      await client.good('POST', `${api}/notification-channels`, channel)
      await client.eventually(() => client.good('POST', `${api}/assets/${table}/watch`))
      await run()
      const received = () => mails.filter((mail) => mail.to.includes(to)).map(decodedMail)
      await expect.poll(received, { timeout: 60_000 }).toHaveLength(1)
      const [mail = ''] = received()
      expect(mail).toContain("Rows that fail 'has a name'")
      // As text, and as a table; the column that failed is the first.
      expect(mail).toMatch(/name +\| id +\| pay\r?\nNULL \| seven \| \*\*\*/)
      expect(mail).toContain('>seven</td>')
      expect(mail).not.toContain('secret')
    }, 120_000)
  })
}
