import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createClient, type HttpClient } from './client.ts'
import { makeAssembly, newUniqueName } from './fixtures.ts'
import type { Target } from './target.ts'
import { askWhatIf } from './what-if.ts'

const api = '/catalog-server/api'
const drift = `${api}/rules/schema-drift`

const before = 'id,amount,mail,land\n1,10.5,a@x.de,DE\n2,11,b@x.de,DE\n3,12.25,c@x.de,FR\n'
/** `mail` renamed, `land` gone, `note` new and first, `amount` text. */
const after = 'note,id,amount,email\nx,1,10.5,a@x.de\ny,2,much,b@x.de\nz,3,12.25,c@x.de\n'

/** Schema drift on a file that is rewritten. */
export function schemaDriftSuite(open: () => Promise<Target>): void {
  describe('a schema drift policy', () => {
    let client: HttpClient
    let folder: string
    let assemblyId: number
    let policyId: number

    const write = (text: string) => writeFile(join(folder, 'orders.csv'), text)
    const start = (body: object = {}) =>
      client.eventually(() => client.good('POST', `${drift}/${policyId}/executions?wait=60`, body))
    const crawl = async () => {
      const crawls = `${api}/assemblies/${assemblyId}/crawls?sortBy=id:desc`
      const { data } = await client.eventually(() => client.good('POST', `${api}/assemblies/${assemblyId}/crawl`, {}))
      await client.until(crawls, ({ status, json }) => {
        const [latest] = status === 200 ? json.data : []
        return latest?.id === data.id && latest.status !== 'RUNNING'
      })
    }
    const changesOf = (items: { drift: { changes: { kind: string; name: string }[] } }[]) =>
      items.flatMap((item) => item.drift.changes.map(({ kind, name }) => `${kind} ${name}`))

    beforeAll(async () => {
      const target = await open()
      client = createClient(target, target.admin)
      const name = newUniqueName()
      const made = await makeAssembly(client, target.sharedFolder, name, { 'orders.csv': before })
      folder = made.folder
      assemblyId = made.assemblyId
      const asset = { tableAssetUid: `${name}.orders.csv` }
      const body = { rule: { name: `schema of ${name}`, backingAsset: asset, severity: { order: 'WARNING' } } }
      const { rule } = await client.eventually(() => client.good('POST', drift, body))
      policyId = rule.id
    })

    test('given a file that was rewritten after the policy was created, when it runs, then it names the changes, once', async () => {
      await write(after)
      const first = await start()
      expect([first.execution.executionStatus, first.execution.resultStatus]).toEqual(['SUCCESSFUL', 'ERRORED'])
      const found = ['REMOVED land', 'ADDED note', 'TYPE_CHANGED amount', 'RENAMED email']
      expect(changesOf(first.items)).toEqual(found)
      expect(first.items[0].drift).toMatchObject({
        addedNames: ['note'],
        deletedNames: ['land'],
        modifiedNames: ['amount', 'email'],
        changes: expect.arrayContaining([
          {
            ...{ kind: 'RENAMED', name: 'email', from: 'mail', to: 'email', severity: 'ERROR' },
            evidence: { samePosition: true, similarity: 1 },
          },
        ]),
      })
      const stored = await client.good('GET', `${drift}/executions/${first.execution.id}/result`)
      expect(changesOf(stored.items)).toEqual(found)
      const [ignore, error] = ['IGNORE', 'ERROR']
      const severity = { added: ignore, removed: error, renamed: ignore, typeChanged: ignore }
      const again = await askWhatIf(client, `${drift}/${policyId}`, { rule: { severity } })
      expect(again.points.flatMap(({ metric, fired }) => (fired ? [metric] : []))).toEqual(['REMOVED'])
      const second = await start()
      expect([second.execution.resultStatus, changesOf(second.items)]).toEqual(['SUCCESSFUL', []])
    })

    test('given a crawl, when it finds another schema, then it starts a run, and a crawl that finds the same does not', async () => {
      await write(after.replaceAll(/^(\w+),/gm, ''))
      await crawl()
      const path = `${drift}/${policyId}/executions?sortBy=id:desc`
      const { json } = await client.until(path, ({ status, json }) => {
        const [latest] = status === 200 ? json.executions : []
        return latest?.execution.executionMode === 'SCHEDULED' && latest.execution.finishedAt !== null
      })
      const [{ execution, items }] = json.executions
      expect(execution.scheduleInstanceId).toMatch(/^crawl-/)
      expect(changesOf(items)).toEqual(['REMOVED note'])
      await crawl()
      await client.good('POST', `${drift}/${policyId}/executions?wait=60`, {})
      const all = await client.good('GET', path)
      expect(all.executions.map((one: (typeof json.executions)[0]) => one.execution.executionMode)).toEqual([
        'API',
        'SCHEDULED',
        'API',
        'API',
      ])
    })

    test('given a start that is not FULL, then 422, and without bounds 400', async () => {
      const path = `${drift}/${policyId}/executions`
      const statuses = ['INCREMENTAL', 'SELECTIVE'].map(async (executionType) => {
        const { status } = await client.call('POST', path, { executionType })
        return status
      })
      expect(await Promise.all(statuses)).toEqual([422, 400])
    })
  })
}
