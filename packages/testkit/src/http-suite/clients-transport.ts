import { setTimeout as pause } from 'node:timers/promises'
import { operations } from '@assay/contracts'
import { describe, expect, test } from 'vitest'
import { api, ask, type ClientFixtures, filled } from './clients-fixtures.ts'
import { policyBody } from './policy-bodies.ts'
import type { Target } from './target.ts'

const json = { 'content-type': 'application/json' }

/** Headers, empty bodies and error messages, which all three clients share. */
export function clientTransport(open: () => Promise<Target>, at: () => ClientFixtures): void {
  describe('transport', () => {
    const send = async (method: string, path: string, headers: Record<string, string>, body?: string) => {
      const { baseUrl, admin } = await open()
      const ask = () =>
        fetch(`${baseUrl}${filled(path, at())}`, {
          method,
          headers: { ...admin, ...headers },
          ...(body === undefined ? {} : { body }),
        })
      let response = await ask()
      while (response.status === 429) {
        await pause(1000 * Number(response.headers.get('retry-after') ?? 1))
        response = await ask()
      }
      return { status: response.status, text: await response.text(), headers: response.headers }
    }

    test.each(['*/*', 'text/html', 'application/xml;q=1.0, text/plain', 'image/png', ''])(
      'given Accept: %s, when anything is requested, then it is never 406',
      async (accept) => {
        const answer = await send('GET', '~/assets/{assetId}', { ...json, accept })
        expect([answer.status, answer.headers.get('content-type')]).toEqual([
          200,
          expect.stringContaining('application/json'),
        ])
        const missing = await send('GET', '~/assets/999999999', { ...json, accept })
        expect([missing.status, missing.headers.get('content-type')]).toEqual([
          404,
          expect.stringContaining('application/json'),
        ])
      },
    )

    test.each([
      ['GET', '~/assets/{assetId}'],
      ['POST', '~/assets/{assetId}/watch'],
      ['POST', '~/assets/{assetId}/sample/async'],
      ['POST', '~/crawler/{assemblyName}'],
      ['DELETE', '~/assets/{assetId}/watch'],
    ])('given a JSON content type and no body, when %s %s is sent, then it succeeds', async (method, path) => {
      const answer = await at().client.eventually(async () => {
        const each = await send(method, path, json)
        if (each.status >= 300) throw new Error(`${each.status} ${each.text}`)
        return each
      })
      expect([answer.status, answer.text === '']).toEqual(method === 'DELETE' ? [204, true] : [200, false])
    })

    test('given a POST with a JSON content type and an empty text, when it is sent, then it counts as no body', async () => {
      expect((await send('POST', '~/assets/{assetId}/watch', json, '')).status).toBe(200)
    })

    test('given only the two key headers, when an asset is read, then it is shown', async () => {
      expect((await send('GET', '~/assets/{assetId}', {})).status).toBe(200)
    })

    test('every success except that of a DELETE has a body, because B parses it as JSON', () => {
      const silent = operations.filter(({ method, answer, file }) => method !== 'DELETE' && !answer && !file)
      // No client uses notifications.
      expect(silent.map(({ path }) => path).filter((path) => !/\/notification/.test(path))).toEqual([])
    })

    test.each([
      ['GET', '~/assets/999999999', 404, undefined],
      ['GET', '~/assets/x', 400, undefined],
      ['PUT', '~/assets/{assetId}/labels', 400, '{"labels":null}'],
      ['PUT', '~/assets/{assetId}/labels', 400, '{'],
      ['POST', '~/assets/{assetId}/tag', 400, '{"id":null,"name":null}'],
      ['POST', '~/assets/{assetId}/tag', 400, '{"id":1,"name":"both"}'],
      ['GET', '~/rules/no such policy', 404, undefined],
    ] as const)(
      'given an error, when %s %s answers %i, then errors[].message is text for people',
      async (method, path, status, body) => {
        const answer = await send(method, path, json, body)
        expect([answer.status, JSON.parse(answer.text).errors]).toEqual([
          status,
          [expect.objectContaining({ message: expect.stringMatching(/\w{3}/) })],
        ])
      },
    )

    test('given a wrong key, when clients send requests, then they get 401 with errors[].message', async () => {
      for (const path of ['~/sdk/compatible-versions', '/admin/api/build-details', '~/assets']) {
        const answer = await send('GET', path, { ...json, secretKey: 'wrong' })
        expect([path, answer.status, JSON.parse(answer.text).errors[0].message]).toEqual([
          path,
          401,
          'Unauthorised:: Authorisation through API Keys failed',
        ])
      }
    })

    // A kind with one table and a kind with two. The tests of the policy service try each kind.
    test.each(['data-quality', 'equality'])(
      'given a body with nulls and foreign fields, when a policy of %s is created and sent back as read, then it is accepted',
      async (kind) => {
        const { client, names } = at()
        const { rule, ...rest } = policyBody(kind, { uniqueName: names.uniqueName ?? '', assetId: names.twinId ?? '' })
        const nulls = {
          id: null,
          description: null,
          tags: null,
          policyGroups: null,
          engineType: null,
          thresholdLevel: null,
        }
        const unread = { notReadByAnyone: { at: [1] }, schedule: null, labels: null, segments: null, jobSchedule: null }
        const made = await client.good('POST', `${api}/rules/${kind}`, {
          ...rest,
          rule: { ...nulls, ...unread, ...rule, name: `${rule.name} with nulls` },
          transformUDFs: null,
          cloningDetails: null,
          engineType: null,
        })
        const read = await client.good('GET', `${api}/rules/${kind}/${made.rule.id}`)
        const again = await client.good('PUT', `${api}/rules/${kind}/${made.rule.id}`, {
          rule: read.rule,
          items: read.details.items,
          ...(read.details.columnMappings ? { mappings: read.details.columnMappings } : {}),
        })
        expect(again.rule.version).toBe(read.rule.version)
      },
    )

    test.each(['True', 'False', 'true', 'false'])(
      'given booleans in the query as %s, then the request is accepted',
      async (value) => {
        for (const path of [
          `~/asset-types?onlyCrawledAssetTypes=${value}`,
          `~/assets/{assetId}/childAssets?inferDataType=${value}`,
          `~/assemblies/{assemblyId}?properties=${value}`,
          `~/rules?withLatestExecution=${value}&enabled=${value}`,
          `~/rules/executions?includeSubPolicies=${value}`,
          `~/rules/data-quality/{data-qualityId}?onlyExecutedVersion=${value}`,
        ])
          expect([path, (await ask(at(), 'GET', path)).status]).toEqual([path, 200])
      },
    )

    test.each(['updatedAt:DESC', 'finishedAt:DESC', 'name:ASC', 'id:DESC'])(
      'given sortBy=%s, when policies are listed, then it is accepted',
      async (sortBy) => {
        expect((await ask(at(), 'GET', `~/rules?page=0&size=25&sortBy=${sortBy}`)).status).toBe(200)
      },
    )
  })
}
