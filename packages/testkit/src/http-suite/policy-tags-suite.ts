import { gatewayOperations, type Permission } from '@assay/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import { createClient, type HttpClient } from './client.ts'
import { makeAssembly, newUniqueName } from './fixtures.ts'
import { policyBody } from './policy-bodies.ts'
import type { Target } from './target.ts'

const api = '/catalog-server/api'
const associations = `${api}/tag-associations`

interface Detail {
  keyValueId: number
  valueName: string
}

/** Catalog tags on policies, which another service owns. */
export function policyTagsSuite(open: () => Promise<Target>): void {
  describe('tags of policies', () => {
    const uniqueName = newUniqueName()
    let admin: HttpClient
    let client: HttpClient
    let policyId: number
    let assetId: number

    const entity = (id: number, type = 'POLICY') => `${associations}/entity/${id}?entityType=${type}`
    const details = async (): Promise<Detail[]> => client.good('GET', entity(policyId))
    const names = async () => (await details()).map(({ valueName }) => valueName)
    const tagged = async (name: string): Promise<number> => (await client.good('POST', `${api}/tags`, { name })).id
    const request = (keyValueIds: readonly number[], entityId = policyId, entityType = 'POLICY') => ({
      entityId,
      entityType,
      keyValueIds,
    })

    beforeAll(async () => {
      const target = await open()
      admin = createClient(target, target.admin)
      client = admin.as(await admin.good('POST', gatewayOperations.createTenant.path, { name: newUniqueName() }))
      await makeAssembly(client, target.sharedFolder, uniqueName)
      assetId = (await client.good('GET', `${api}/assets/byUid/${uniqueName}.people.csv`)).data.id
      const body = policyBody('data-quality', { uniqueName, assetId: String(assetId) })
      const made = await client.eventually(() => client.good('POST', `${api}/rules/data-quality`, body))
      policyId = made.rule.id
    }, 300_000)

    test('given a new policy, when tags and an invalid id are added twice, then it has each tag once', async () => {
      const ids = [await tagged('first'), await tagged('second')]
      const none = 999_999_999
      // The service waits for the caller's own writes only for a limited time, which a busy machine may exceed.
      const answer = await client.eventually(() => client.good('POST', associations, request([...ids, none])))
      expect(answer).toMatchObject({
        created: ids.map((keyValueId) => ({ keyValueId })),
        errors: [{ code: 'NOT_FOUND', keyValueId: none }],
      })
      const again = await client.good('POST', associations, request(ids))
      expect(again).toEqual({ created: answer.created, errors: [] })
      expect(await details()).toEqual(answer.created)
    }, 180_000)

    test('given a policy with tags, then the audit shows who added them', async () => {
      const audit = `/admin/api/audit?entity=POLICY/${policyId}&type=PolicyTagAdded`
      const { json } = await client.until(audit, (answer) => answer.json.meta.count === 2)
      expect(json.data.map((line: { after: { tagName: string } }) => line.after.tagName).toSorted()).toEqual([
        'first',
        'second',
      ])
      expect(json.data).toMatchObject([
        { before: null, after: { policyId } },
        { before: null, after: { policyId } },
      ])
    }, 180_000)

    test('given a tag name in the policy service, then it is separate from catalog tags', async () => {
      await client.good('POST', `${api}/rules/${policyId}/tag`, { ruleTag: { name: 'plain' } })
      expect(await names()).toEqual(['first', 'second'])
    })

    test('given an unknown policy, or a policy of another tenant, then the answer is the same 404', async () => {
      const [{ keyValueId = 0 } = {}] = await details()
      // Ids are per tenant, so the other tenant must have no policies.
      const stranger = admin.as(
        await admin.good('POST', gatewayOperations.createTenant.path, { name: newUniqueName() }),
      )
      for (const id of [policyId, 999_999_999]) {
        const caller = id === policyId ? stranger : client
        const written = await caller.call('POST', associations, request([keyValueId], id))
        const read = await caller.call('GET', entity(id))
        const errors = [{ status: 404, message: `There is no policy with the id ${id}.` }]
        expect([written.status, written.json, read.status, read.json]).toEqual([404, { errors }, 404, { errors }])
      }
      expect(await names()).toEqual(['first', 'second'])
    })

    test.each<[string, Permission, readonly Permission[]]>([
      ['POLICY', 'POLICY_VIEW', ['ASSET_VIEW', 'TAGS_CREATE', 'TAGS_VIEW']],
      ['ASSET', 'ASSET_VIEW', ['POLICY_VIEW', 'TAGS_CREATE', 'TAGS_VIEW']],
    ])('given a key that may add tags but not see a %s, then the 403 names %s', async (type, missing, held) => {
      const lacking = client.as(await client.key(held))
      const id = type === 'POLICY' ? policyId : assetId
      const [{ keyValueId = 0 } = {}] = await details()
      for (const each of [id, 999_999_999]) {
        const written = await lacking.call('POST', associations, request([keyValueId], each, type))
        const read = await lacking.call('GET', entity(each, type))
        expect([written.status, read.status]).toEqual([403, 403])
        expect([written.text, read.text]).toEqual([expect.stringContaining(missing), expect.stringContaining(missing)])
      }
      const enough = client.as(await client.key(['ASSET_VIEW', missing, 'TAGS_CREATE', 'TAGS_VIEW']))
      expect((await enough.call('GET', entity(id, type))).status).toBe(200)
    })

    test('given tags of a policy that are renamed and merged, then the policy has the new tags, even if it is archived', async () => {
      const ids = new Map((await details()).map(({ valueName, keyValueId }) => [valueName, keyValueId]))
      const into = await tagged('third')
      await client.good('PUT', `${api}/tags/${ids.get('second')}`, { name: 'renamed' })
      await client.call('DELETE', `${api}/rules/data-quality/${policyId}`)
      const { json: archived } = await client.call('GET', `${api}/rules/data-quality/${policyId}`)
      expect(archived.rule.archived).toBe(true)
      await client.good('POST', `${api}/tags/${ids.get('first')}/merge`, { into })
      expect((await names()).toSorted()).toEqual(['renamed', 'third'])
      // The catalog publishes the merge after it has answered.
      const audit = `/admin/api/audit?entity=POLICY/${policyId}&type=PolicyTagRemoved`
      const { json } = await client.until(audit, (answer) => answer.json.meta.count === 1)
      expect(json.data).toMatchObject([{ before: { tagName: 'first' }, after: null }])
      expect((await names()).toSorted()).toEqual(['renamed', 'third'])
    }, 180_000)
  })
}
