import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ask, type ClientFixtures, filled } from './clients-fixtures.ts'
import { execution, ruleListAnswer, threshold } from './clients-policy-readers.ts'
import { cannotRead, clients } from './clients-reader.ts'
import { startBodies, startRun } from './clients-runs.ts'
import { makeAssembly } from './fixtures.ts'
import { policyKinds } from './policy-bodies.ts'

/** Answers on which the three clients leave a choice or contradict each other. */
export function clientDecisions(at: () => ClientFixtures): void {
  const good = (path: string) => at().client.good('GET', filled(path, at()))

  describe('decisions', () => {
    test('1. compatible-versions answers 2.0.0 to 99.0.0, build-details at least 2.12.0', async () => {
      expect((await good('~/sdk/compatible-versions')).versions).toEqual({ minVersion: '2.0.0', maxVersion: '99.0.0' })
      const { buildVersion } = await good('/admin/api/build-details')
      const [major = 0, minor = 0] = String(buildVersion).split(/[.-]/).map(Number)
      expect(major > 2 || (major === 2 && minor >= 12)).toBe(true)
    })

    test('2. missing descriptions are empty text, missing lists are empty lists, and ids are numbers', async () => {
      const { data } = await good('~/assets/{assetId}')
      expect([data.description, data.assembly.description, typeof data.id]).toEqual(['', '', 'number'])
      const rule = await at().client.eventually(() => good('~/rules/{data-qualityId}'))
      expect(rule).toMatchObject({ description: '', policyTransformUDFS: [], additionalPersistedColumns: [] })
      expect(typeof rule.id).toBe('number')
      expect(await good('~/assets/{oddId}/labels')).toEqual([])
      expect(await good('~/assets/{oddId}/comments')).toEqual({ comments: [] })
    })

    test('2. a label that is sent with its type comes back with key and value only', async () => {
      const labels = [{ key: 'tier', value: 'one', labelType: 'ASSET' }]
      const answer = await ask(at(), 'PUT', '~/assets/{assetId}/labels', { labels })
      expect(answer.json).toEqual([{ key: 'tier', value: 'one' }])
    })

    test('2. metadata values are text, also if sent as numbers and booleans', async () => {
      const body = { rows: 3, checked: true, nothing: null }
      const answer = await ask(at(), 'POST', '~/assets/{assetId}/metadata/custom', body)
      const values = answer.json.data.items.map(({ key, value }: { key: string; value: unknown }) => [key, value])
      expect(Object.fromEntries(values)).toMatchObject({ rows: '3', checked: 'true' })
    })

    test('3. a run has one shape on every route, and its score strategy is next to it', async () => {
      const started = await startRun(at(), 'data-quality', startBodies.BC)
      const { id } = started.json.execution
      const shapes = await at().client.eventually(async () => {
        const [one, result, ofKind, ofAll, listed] = await Promise.all([
          good(`~/rules/data-quality/executions/${id}`),
          good(`~/rules/data-quality/executions/${id}/result`),
          good('~/rules/data-quality/{data-qualityId}/executions'),
          good('~/rules/executions?ruleId={data-qualityId}'),
          good('~/rules?assetIds={assetId}&ruleType=DATA_QUALITY'),
        ])
        expect(listed.rules[0]?.execution?.id).toBe(id)
        expect(listed.rules[0].executionMetrics).not.toBe(null)
        return {
          list: listed,
          started: started.json.execution,
          one: one.execution,
          result: result.execution,
          ofKind: ofKind.executions[0].execution,
          ofAll: ofAll.executions[0].execution,
          listed: listed.rules[0].execution,
        }
      })
      const keys = Object.keys(shapes.one).sort()
      const { list, ...runs } = shapes
      for (const client of clients) expect([client, cannotRead(ruleListAnswer, client, list)]).toEqual([client, []])
      for (const [route, shown] of Object.entries(runs)) {
        expect([route, Object.keys(shown).sort()]).toEqual([route, keys])
        for (const client of clients)
          expect([route, client, cannotRead(execution, client, shown)]).toEqual([route, client, []])
      }
      expect(keys).not.toContain('policyScoreStrategy')
    })

    test('4. and 5. a run that cannot be executed is FAILED and ERRORED, and its result has all fields from the start', async () => {
      const { client, folder, names } = at()
      const uniqueName = `${names.uniqueName} gone`
      const gone = await makeAssembly(client, join(folder, '..'), uniqueName)
      const { data } = await client.good(
        'GET',
        filled('~/assets/byUid/', at()) + encodeURIComponent(`${uniqueName}.people.csv`),
      )
      const { rule } = await client.eventually(() =>
        client.good('POST', filled('~/rules/data-quality', at()), {
          rule: { name: uniqueName, backingAsset: { tableAssetId: data.id } },
          items: [{ measurementType: 'MISSING_VALUES', columnName: 'name' }],
        }),
      )
      await rm(gone.folder, { recursive: true, force: true })
      const started = await startRun(at(), 'data-quality', startBodies.A, String(rule.id))
      const path = filled(`~/rules/data-quality/executions/${started.json.execution.id}/result`, at())
      const first = await client.call('GET', path)
      expect(first.json).toMatchObject({
        execution: {},
        items: expect.any(Array),
        meta: {},
        result: { status: expect.any(String) },
      })
      const { json } = await client.until(path, ({ json: now }) => now.execution.executionStatus !== 'RUNNING')
      expect(json.execution).toMatchObject({
        executionStatus: 'FAILED',
        resultStatus: 'ERRORED',
        executionError: expect.stringMatching(/\w/),
      })
      expect(json.result.status).toBe('ERRORED')
    })

    test('6. runs of all kinds are filtered by policy, verdict and time', async () => {
      const count = async (query: string) =>
        (await good(`~/rules/executions?ruleId={data-qualityId}${query}`)).meta.count
      await at().client.eventually(async () => expect(await count('')).toBeGreaterThan(0))
      const now = Date.now() + 86_400_000
      expect(await count(`&startedAfter=${now}`)).toBe(0)
      expect(await count('&finishedBefore=1577836800000')).toBe(0)
      // Clients send times in both forms.
      expect(await count(`&startedAfter=${new Date(now).toISOString()}`)).toBe(0)
      expect(await count('&finishedBefore=2020-01-01T00:00:00Z')).toBe(0)
      expect(await count('&startedAfter=2020-01-01T00:00:00Z')).toBeGreaterThan(0)
      expect(await count('&resultStatus=SUCCESSFUL&executionStatus=FAILED')).toBe(0)
      // Filters accept all statuses that clients know, even statuses that runs never show.
      for (const status of ['STARTED', 'RUNNING', 'WAITING', 'ERRORED', 'WARNING', 'SUCCESSFUL', 'ABORTED']) {
        const shown = ['STARTED', 'WAITING'].includes(status) ? 'RUNNING' : status
        const { executions } = await good(`~/rules/executions?ruleId={data-qualityId}&resultStatus=${status}`)
        for (const { execution: run } of executions) expect([status, run.resultStatus]).toEqual([status, shown])
        await good(`~/rules?resultStatus=${status}&withLatestExecution=True`)
        await good(`~/rules/executions?executionStatus=${status === 'WARNING' ? 'SUCCESS' : status}`)
      }
      const mine = await good('~/rules/executions?ruleId={data-qualityId}')
      for (const row of mine.executions) expect(row.execution.ruleId).toBe(Number(at().names['data-qualityId']))
      expect((await good('~/rules/executions?ruleId=999999999')).executions).toEqual([])
    })

    test.each([
      [{ type: 'id', idColumnName: 'id', fromId: 2, toId: 3 }, 2],
      [{ type: 'bound', idColumnName: 'id', fromId: 2, toId: null }, 2],
      [{ type: 'id', idColumnName: 'id', fromId: null, toId: 1 }, 1],
      [{ type: 'id', idColumnName: 'id', initialOffset: 2 }, 2],
      [{ type: 'boundDateTime', dateColumnName: 'seen', fromDate: '2026-01-01', toDate: '2026-01-02' }, 2],
      [{ type: 'datetime', dateColumnName: 'seen', initialOffset: '2026-01-03', offset: 0 }, 1],
      [{ type: 'datetime', dateColumnName: 'seen', format: '', toDate: '2026-01-01' }, 1],
    ])('7. a run with the marker %j reads %i rows', async (marker, rows) => {
      const { client, names } = at()
      const name = `${names.uniqueName} marked ${Object.entries(marker).flat().join(' ')}`
      const { rule } = await client.eventually(() =>
        client.good('POST', filled('~/rules/data-quality', at()), {
          rule: { name, backingAsset: { tableAssetId: Number(names.oddId) } },
          items: [{ measurementType: 'MISSING_VALUES', columnName: 'id' }],
        }),
      )
      const markerConfig = { format: null, timeZoneId: null, ...marker, baseAssetId: null }
      const started = await startRun(
        at(),
        'data-quality',
        {
          executionType: 'SELECTIVE',
          markerConfigs: [{ assetId: Number(names.oddId), markerConfig, baseAssetId: null }],
        },
        String(rule.id),
      )
      const { json } = await client.until(
        filled(`~/rules/data-quality/executions/${started.json.execution.id}/result`, at()),
        ({ json: now }) => now.execution.executionStatus !== 'RUNNING',
      )
      expect([json.execution.executionError, json.items[0]?.rowsScanned]).toEqual([null, rows])
      // A reads the marker of a run in every list of runs.
      expect(cannotRead(execution, 'A', json.execution)).toEqual([])
    })

    test('7. a marker of file events may name a date column, and a marker of a topic has the same effect under its short name', async () => {
      const { client, names } = at()
      const start = async (marker: Record<string, unknown>) => {
        const markerConfig = { timeZoneId: 'UTC', format: null, ...marker, baseAssetId: null }
        const body = { executionType: 'SELECTIVE', markerConfigs: [{ assetId: Number(names.assetId), markerConfig }] }
        return ask(at(), 'POST', '~/rules/data-quality/{data-qualityId}/executions', body)
      }
      const bounds = { fromDate: '2020-01-01', toDate: '2099-01-01', dateColumnName: 'seen' }
      const files = await start({ type: 'boundFileEvent', ...bounds })
      expect([files.status, files.text]).toEqual([200, expect.any(String)])
      await client.until(
        filled(`~/rules/data-quality/executions/${files.json.execution.id}/result`, at()),
        ({ json }) => json.execution.executionStatus !== 'RUNNING',
      )
      // A file has no topic offsets: either name is refused with the same message.
      const [short, full] = [
        await start({ type: 'timestamp', initialOffset: '2026-01-01' }),
        await start({ type: 'TimestampBasedMarkerConfig', initialOffset: '2026-01-01' }),
      ]
      expect([short.status, short.text]).toEqual([422, full.text])
    })

    test('8. a list by ids begins with the requested asset', async () => {
      const { data } = await good('~/assets?ids={oddId}')
      expect(data.map(({ id }: { id: number }) => id)).toEqual([Number(at().names.oddId)])
    })

    test('8. a known UID returns a list with its asset, an unknown UID an empty list', async () => {
      const { names } = at()
      const { data } = await good('~/assets?uid={oddUid}')
      expect(data.map(({ id, uid }: { id: number; uid: string }) => [id, uid])).toEqual([
        [Number(names.oddId), names.oddUid],
      ])
      const none = await ask(at(), 'GET', '~/assets?uid={oddUid}.not there')
      expect([none.status, none.status === 404 ? [] : none.json.data]).toEqual([none.status, []])
    })

    test('8. asset types have canMonitor, children a uid, rule items a name and an aggregateType', async () => {
      for (const type of (await good('~/asset-types')).data) expect(typeof type.canMonitor).toBe('boolean')
      const { childAssets } = await good('~/assets/{assetId}/childAssets')
      expect(childAssets.map(({ uid }: { uid: string }) => uid)).toContain(`${at().names.assetUid}.name`)
      const { details } = await good('~/rules/data-quality/{data-qualityId}')
      expect(details.items[0]).toMatchObject({ name: expect.any(String), aggregateType: expect.any(String) })
    })

    test.each([
      { type: 'ABSOLUTE', config: { direction: 'ABOVE', success: 90, warning: null } },
      { type: 'ABSOLUTE', config: { direction: 'RANGE', lowerSuccess: 80, upperSuccess: 100 } },
      { type: 'ANOMALY', config: { successSensitivityLevel: 'HIGH', warningSensitivityLevel: null } },
      {
        type: 'RELATIVE',
        config: { direction: 'CHANGES_BY', operator: 'LTE', unit: 'PERCENTAGE', isDirectional: false, success: 5 },
        operationalConfig: { lookBack: { window: 3, windowType: 'RUNS' } },
      },
      { type: 'TIME_BASED', config: { lookBackWindowType: 'DAYS', successLookBackWindow: 2 } },
      // The bare form of older clients.
      { success: 95, warning: 80 },
    ])('9. a threshold %j comes back with type, config, success and warning', async (thresholdLevel) => {
      const path = filled('~/rules/data-quality/{data-qualityId}', at())
      await at().client.good('PUT', path, { rule: { thresholdLevel } })
      const { rule } = await at().client.good('GET', path)
      expect(threshold.safeParse(rule.thresholdLevel).error?.issues ?? []).toEqual([])
      expect(rule.thresholdLevel).toMatchObject({
        type: thresholdLevel.type ?? 'ABSOLUTE',
        success: expect.toSatisfy((value) => value === null || typeof value === 'number'),
      })
    })

    test('9. the threshold of a policy of any kind has type, config, success and warning', async () => {
      for (const kind of policyKinds) {
        const { rule } = await good(`~/rules/${kind}/{${kind}Id}`)
        expect([kind, threshold.safeParse(rule.thresholdLevel).error?.issues ?? []]).toEqual([kind, []])
      }
    })

    test('the list of policies applies its filters and counts archived policies', async () => {
      const shown = async (query: string) =>
        (await good(`~/rules?assetIds={assetId}&size=100&${query}`)).rules.map(
          (each: { rule: { type: string } }) => each.rule.type,
        )
      await at().client.eventually(async () => {
        expect(await shown('ruleStatus=ALL')).toHaveLength(policyKinds.length)
        expect((await shown('ruleType=RECONCILIATION,EQUALITY')).sort()).toEqual(['EQUALITY', 'RECONCILIATION'])
        expect(await shown('enabled=False')).toEqual([])
        expect(await shown('ruleType=DATA_QUALITY&sortBy=name:ASC')).toEqual(['DATA_QUALITY'])
        expect((await good('~/rules?assetIds={assetId}')).meta.archivedPolicyCount).toBe(0)
        const [{ rule }] = (await good('~/rules?assetIds={assetId}&ruleType=DATA_QUALITY')).rules
        expect(rule.tags).toMatchObject([{ ruleId: rule.id, name: `rule tag ${at().names.uniqueName}` }])
      })
    })

    test('properties of an assembly are shown if requested with any spelling of true', async () => {
      for (const value of ['true', 'True']) {
        const { data } = await good(`~/assemblies/{assemblyName}?properties=${value}`)
        expect(data.assemblyProperties).toMatchObject({ path: at().folder })
      }
      for (const value of ['false', 'False'])
        expect((await good(`~/assemblies/{assemblyId}?properties=${value}`)).data.assemblyProperties ?? null).toBe(null)
    })

    test('a list of assemblies of one source type has no others', async () => {
      const names = async (type: string) =>
        (await good(`~/assemblies?sourceType=${type}&size=500`)).data.map(({ name }: { name: string }) => name)
      expect(await names('FILE')).toContain(at().names.uniqueName)
      expect(await names('SQLITE')).not.toContain(at().names.uniqueName)
      // One client spells a name differently.
      expect(await names('ORACL')).toEqual(await names('ORACLE'))
    })
  })
}
