import { describe, expect, test } from 'vitest'
import type { HttpAnswer } from '../assay-process.ts'
import {
  assetTag,
  associatedAnswer,
  crawlStartedAnswer,
  crawlStatusAnswer,
  lastProfileAnswer,
  profileRequestAnswer,
  profileStartedAnswer,
  sampleAnswer,
  tagKeyAnswer,
  tagValuesAnswer,
  watchAnswer,
} from './clients-catalog-readers.ts'
import { ask, type ClientFixtures, faultsFor, faultsInTheEnd, filled } from './clients-fixtures.ts'
import { cancelledAnswer } from './clients-policy-readers.ts'
import { clients } from './clients-reader.ts'

/** Sequences of calls in which a call needs an earlier answer. */
export function clientJobs(at: () => ClientFixtures): void {
  describe('sequences of calls', () => {
    test('POST ~/crawler/{assemblyName}, then GET: all clients start a crawl and poll it', async () => {
      expect(faultsFor(clients, crawlStartedAnswer, await ask(at(), 'POST', '~/crawler/{assemblyName}', {}))).toEqual(
        [],
      )
      const seen: string[] = []
      const last = await at().client.until(filled('~/crawler/{assemblyName}', at()), (answer) => {
        seen.push(...faultsFor(clients, crawlStatusAnswer, answer))
        return answer.status === 200 && !['STARTING', 'RUNNING'].includes(answer.json.data.status)
      })
      expect([seen, last.json.data]).toEqual([[], { assemblyName: at().names.uniqueName, status: 'COMPLETED' }])
    })

    test('POST ~/assets/{id}/watch without a body, then DELETE: all clients watch and unwatch', async () => {
      const watched = await at().client.eventually(async () => {
        const answer = await ask(at(), 'POST', '~/assets/{assetId}/watch')
        expect(faultsFor(clients, watchAnswer, answer)).toEqual([])
        return answer
      })
      expect(watched.json.data.assetId).toBe(Number(at().names.assetId))
      const unwatched = await ask(at(), 'DELETE', '~/assets/{assetId}/watch')
      expect([unwatched.status, unwatched.text]).toEqual([204, ''])
    })

    test('POST ~/assets/{id}/tag {id, name: null}: A adds a tag by its id', async () => {
      const { names } = at()
      const made = await ask(at(), 'POST', '~/assets/{oddId}/tag', { name: `by id ${names.uniqueName}` })
      const body = { id: made.json.tagId, name: null, autoTagged: null }
      const again = await ask(at(), 'POST', '~/assets/{assetId}/tag', body)
      expect(faultsFor(['A'], assetTag, again)).toEqual([])
      expect(again.json).toMatchObject({ name: `by id ${names.uniqueName}`, state: 'ACCEPTED', domains: [] })
    })

    test('POST ~/assets/{id}/sample/async {}, then GET its result: all clients get rows', async () => {
      const faults = await faultsInTheEnd(async () => {
        const answer = await ask(at(), 'POST', '~/assets/{assetId}/sample/async', {})
        return faultsFor(clients, sampleAnswer, await polledSample(at(), answer))
      })
      expect(faults).toEqual([])
    })

    test('POST ~/assets/{id}/profile, then GET and cancel: all clients start a profile and poll it', async () => {
      const request = { profilingType: 'FULL', markerConfig: null, engineType: null }
      const started = await ask(at(), 'POST', '~/assets/{assetId}/profile', { data: request })
      expect(faultsFor(clients, profileStartedAnswer, started)).toEqual([])
      const path = `~/assets/{assetId}/profile/${started.json.data.id}`
      expect(faultsFor(clients, profileRequestAnswer, await ask(at(), 'GET', path))).toEqual([])
      await at().client.until(filled(path, at()), ({ status, json }) => {
        return status === 200 && !['SUBMITTED', 'IN_PROGRESS', 'RUNNING'].includes(json.profileRequest.status)
      })
      expect(faultsFor(clients, lastProfileAnswer, await ask(at(), 'GET', '~/assets/{assetId}/profile'))).toEqual([])
      // The profile has ended: clients treat this message as success.
      const over = await ask(at(), 'PUT', `~/assets/profile/${started.json.data.id}/cancel`, {})
      if (over.status === 200) expect(faultsFor(clients, cancelledAnswer, over)).toEqual([])
      else
        expect([over.status, over.text]).toEqual([405, expect.stringMatching(/already finished|cannot be cancelled/)])
    })

    test('POST /api/tags/v1, its values, then ~/tag-associations: A tags an asset with a value of a key', async () => {
      const key = `key ${at().names.uniqueName}`
      const made = await ask(at(), 'POST', '/api/tags/v1', {
        key,
        values: ['first'],
        type: 'USER',
        keyDescription: null,
      })
      expect(faultsFor(['A'], tagKeyAnswer, made)).toEqual([])
      const keyId = made.json.key.id
      const added = await ask(at(), 'POST', `/api/tags/v1/keys/${keyId}/values`, { keyId, values: ['second'] })
      expect(faultsFor(['A'], tagValuesAnswer, added)).toEqual([])
      const keyValueIds = [Number(added.json.values[0].keyValueId)]
      const body = { entityId: Number(at().names.assetId), entityType: 'ASSET', keyValueIds }
      const tagged = await ask(at(), 'POST', '~/tag-associations', body)
      expect(faultsFor(['A'], associatedAnswer, tagged)).toEqual([])
      const listed = await ask(at(), 'GET', '~/tag-associations/entity/{assetId}?entityType=ASSET')
      expect(listed.json).toContainEqual(expect.objectContaining({ keyValueId: keyValueIds[0], valueName: 'second' }))
    })
  })
}

/** Polls a sample like the clients: while it is IN_PROGRESS, and not at all without an id. */
async function polledSample({ client }: ClientFixtures, first: HttpAnswer): Promise<HttpAnswer> {
  if (first.status !== 200 || first.json.jobExecutionStatus !== 'IN_PROGRESS' || !first.json.requestId) return first
  return client.until(
    `/catalog-server/api/assets/sample/result/${first.json.requestId}`,
    ({ status, json }) => status === 200 && json.jobExecutionStatus !== 'IN_PROGRESS',
  )
}
