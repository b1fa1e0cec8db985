import { beforeAll, describe, expect, test } from 'vitest'
import { createClient, type HttpClient } from './client.ts'
import { makeAssembly, newUniqueName } from './fixtures.ts'
import type { Target } from './target.ts'

const api = '/catalog-server/api'
const quality = `${api}/rules/data-quality`

/** Requests that must be refused, with the status and the reason. */
export function refusalsSuite(open: () => Promise<Target>): void {
  describe('refusals', () => {
    const uniqueName = newUniqueName()
    const uid = `${uniqueName}.people.csv`
    let target: Target
    let client: HttpClient
    let folder: string
    let policyId: number

    beforeAll(async () => {
      target = await open()
      client = createClient(target, target.admin)
      folder = (await makeAssembly(client, target.sharedFolder, uniqueName)).folder
      const good = policy([{ measurementType: 'MISSING_VALUES', columnName: 'name' }], `${uniqueName} the good one`)
      policyId = (await client.eventually(() => client.good('POST', quality, good))).rule.id
    }, 300_000)

    let names = 0
    function policy(items: unknown[], name = `${uniqueName} refused ${++names}`, rule: Record<string, unknown> = {}) {
      return { rule: { name, backingAsset: { tableAssetUid: uid }, ...rule }, items }
    }

    describe('given an impossible definition, when it is written, then 400 names the field and nothing is stored', () => {
      const item = (fields: Record<string, unknown>) => ({ columnName: 'name', ...fields })
      const refused: [string, unknown, RegExp][] = [
        [
          'an unknown column',
          policy([item({ measurementType: 'MISSING_VALUES', columnName: 'nme' })]),
          /items\[0\].*nme/,
        ],
        ['a row item without a column', policy([{ measurementType: 'MISSING_VALUES' }]), /items\[0\]/],
        ['an invalid regex', policy([item({ measurementType: 'REGEX_MATCH', value: { pattern: '(' } })]), /items\[0\]/],
        [
          'min above max',
          policy([{ measurementType: 'RANGE_MATCH', columnName: 'age', value: { min: 2, max: 1 } }]),
          /items\[0\]/,
        ],
        ['invalid SQL', policy([{ measurementType: 'CUSTOM', ruleExpression: 'age >>>' }]), /items\[0\]/],
        [
          'SQL that reads outside its source',
          policy([
            {
              measurementType: 'SQL_METRIC',
              value: { sql: "select count(*) from read_text('/etc/passwd')", operator: 'GT', value: 0 },
            },
          ]),
          /items\[0\]/,
        ],
        [
          'the second item',
          policy([
            { measurementType: 'MISSING_VALUES', columnName: 'id' },
            { measurementType: 'MISSING_VALUES', columnName: 'x' },
          ]),
          /items\[1\]/,
        ],
        ['an unknown kind', policy([item({ measurementType: 'VIBES' })]), /items\[0\]\.measurementType/],
        [
          'a wrong type',
          policy([item({ measurementType: 'MISSING_VALUES', weightage: 'much' })]),
          /items\[0\]\.weightage/,
        ],
        ['an invalid cron expression', policy([], undefined, { schedule: 'every day', scheduled: true }), /schedule/],
        [
          'an invalid zone',
          policy([], undefined, { schedule: '0 6 * * *', timeZone: 'Mars/Olympus' }),
          /timeZone|Mars/,
        ],
        ['an unknown table', policy([], undefined, { backingAsset: { tableAssetUid: 'nowhere' } }), /backingAsset/],
        ['no name', { rule: { backingAsset: { tableAssetUid: uid } }, items: [] }, /name/],
        ['a name of digits', policy([], '12'), /name/],
        ['no rule', {}, /rule/],
        ['a body that is not an object', [], /.+/],
      ]
      test.each(refused)('%s', async (_, body, message) => {
        const before = await client.call('GET', `${quality}?size=0`)
        const answer = await client.call('POST', quality, body)
        expect({ status: answer.status, text: answer.text }).toMatchObject({
          status: 400,
          text: expect.stringMatching(message),
        })
        expect(answer.json.errors[0]).toMatchObject({ status: 400, message: expect.stringMatching(/\w/) })
        expect((await client.call('GET', `${quality}?size=0`)).json.meta.count).toBe(before.json.meta.count)
      })
    })

    describe('given invalid requests, when they are sent, then they get the right 4xx with the error envelope', () => {
      const cases: [string, string, string, unknown, number][] = [
        ['malformed JSON', 'POST', quality, '{"rule":', 400],
        ['a body over 1 MiB', 'POST', quality, `{"rule":{"description":"${'x'.repeat(1_100_000)}"}}`, 413],
        ['an unknown route', 'GET', `${api}/nothing`, undefined, 404],
        ['a path in another case', 'GET', `${api}/ASSETS`, undefined, 404],
        ['an unknown method', 'PATCH', quality, {}, 405],
        ['an empty path id', 'GET', `${api}/rules//configuration`, undefined, 400],
        ['an unknown asset', 'GET', `${api}/assets/999999`, undefined, 404],
        ['an unknown policy', 'GET', `${quality}/no-such-policy`, undefined, 404],
        ['a policy by 0', 'GET', `${quality}/0`, undefined, 404],
        ['a run of an unknown policy', 'POST', `${quality}/999999/executions`, {}, 404],
        ['an unknown execution', 'GET', `${quality}/executions/999999/result`, undefined, 404],
        ['an invalid page', 'GET', `${quality}?page=x`, undefined, 400],
        ['a page that is too large', 'GET', `${quality}?size=501`, undefined, 400],
        ['an unknown sort field', 'GET', `${quality}?sortBy=secret:asc`, undefined, 400],
        ['an unknown filter value', 'GET', `${api}/rules/executions?executionStatus=NOPE`, undefined, 400],
        ['broken percent encoding', 'GET', `${quality}/%E0%A4%A`, undefined, 400],
        [
          'a missing source',
          'POST',
          `${api}/assemblies`,
          { name: 'x', sourceType: 'FILE', configuration: { path: '/nowhere/at/all' } },
          400,
        ],
        [
          'an assembly twice',
          'POST',
          `${api}/assemblies`,
          () => ({ name: uniqueName, sourceType: 'FILE', configuration: { path: folder } }),
          409,
        ],
      ]
      test.each(cases)('%s', async (_, method, path, body, status) => {
        const answer = await client.call(method, path, typeof body === 'function' ? body() : body)
        expect({ status: answer.status, text: answer.text.slice(0, 300) }).toMatchObject({ status })
        expect(answer.json.errors[0]).toMatchObject({ status, message: expect.stringMatching(/\w/) })
        expect(answer.text).not.toMatch(/node_modules|\.ts:|SELECT|at Object/)
      })

      test('a body that is not UTF-8', async () => {
        const before = (await client.call('GET', `${quality}/${policyId}`)).text
        const body = Buffer.from('{"rule":{"description":"caf\u00e9"}}', 'latin1')
        const answer = await fetch(`${target.baseUrl}${quality}/${policyId}`, {
          method: 'PUT',
          headers: { ...target.admin, 'content-type': 'application/json' },
          body,
        })
        expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('UTF-8')])
        expect((await client.call('GET', `${quality}/${policyId}`)).text).toBe(before)
      })

      test('a selection of an item that the policy lacks', async () => {
        const answer = await client.call('POST', `${quality}/${policyId}/executions`, { ruleItemSelections: [999_999] })
        expect(answer.status).toBe(400)
        expect((await client.call('GET', `${quality}/${policyId}/executions`)).json.meta.count).toBe(0)
      })

      test('a wrong pair', async () => {
        const answer = await client.call('GET', `${api}/assets/1`, undefined, { secretKey: 'wrong-secret-key-wrong' })
        expect(answer.status).toBe(401)
        expect(answer.text).toBe(
          '{"errors":[{"message":"Unauthorised:: Authorisation through API Keys failed","status":401}]}',
        )
      })
    })
  })
}
