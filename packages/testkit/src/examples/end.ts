import { policyKinds } from '../http-suite/policy-bodies.ts'
import { type Caller, idOf } from './caller.ts'

/** Three million flights, so that a run on them is still in progress when it is cancelled. */
const flights = 'samples.flights-3m.parquet'
const attempts = 20

/** Starts jobs, and cancels them while they run. */
export async function cancel({ recorder, call, eventually, facts, failures }: Caller): Promise<void> {
  const policy = await recorder.eventually('createDataQualityRule', {
    body: {
      rule: { name: 'No flight twice', backingAsset: { tableAssetUid: flights } },
      items: [{ measurementType: 'DUPLICATE_ROWS_CHECK' }],
    },
  })
  /** Only running jobs can be cancelled, so another one is started if this one has ended too early. */
  const startAndCancel = async (id: string, start: () => Promise<Record<string, string>>) => {
    for (let attempt = 1; !recorder.has(id); attempt += 1) {
      const more = await start()
      await call(id, more).catch((error: Error) => {
        if (attempt === attempts) throw error
      })
    }
  }
  const crawlId = async () => ({ crawlId: String((await eventually('startCrawl')).data.id) })
  const executionId = async () => {
    const { execution } = await eventually('triggerDataQualityExecution', { 'data-qualityId': String(policy.rule.id) })
    return { 'data-qualityExecutionId': String(execution.id) }
  }
  const profileId = async () => ({
    profileId: String((await eventually('startProfile', { assetId: `${facts.flightsId}` })).data.id),
  })
  const requestId = async () => ({
    requestId: (await eventually('requestAssetSampleAsync', { assetId: `${facts.flightsId}` })).requestId,
  })
  const jobId = async () => {
    const { assetConfiguration } = await eventually('updateReferenceConfigurationByUid', { assetUid: flights })
    return { jobId: String(assetConfiguration.assetReferenceValidationJob.id) }
  }
  const cancelled: [string, () => Promise<Record<string, string>>][] = [
    ['cancelCrawl', crawlId],
    ['cancelExecution', executionId],
    ['cancelProfile', profileId],
    ['cancelAssetSample', requestId],
    ['cancelReferenceJob', jobId],
  ]
  for (const [id, start] of cancelled)
    await startAndCancel(id, start).catch((error: Error) => {
      failures.push(error.message)
    })
}

/** Deletes what was created, and restores what can be restored. */
export async function removeAll(caller: Caller): Promise<void> {
  const { recorder, call, callOnce, facts } = caller
  for (const kind of policyKinds)
    for (const path of ['{id}', 'byName/{name}']) {
      await callOnce(idOf('DELETE', `/rules/${kind}/${path}`))
      await callOnce(idOf('POST', `/rules/${kind}/${path}/unarchive`))
    }
  await callOnce('deleteServiceUserKey')
  await callOnce('deleteUserApiKey', { accessKey: (await call('createServiceUserKey')).accessKey })
  await callOnce('revokeApiKey', { accessKey: `${facts.dashboardKey}` })
  const { body } = recorder.examples().createPersistenceConfig ?? {}
  // The first configuration is the default now, so it cannot be deleted.
  const other = await recorder.call('createPersistenceConfig', { body: Object.assign({}, body, { name: 'by day' }) })
  await callOnce('deletePersistenceConfig', { storageId: String(other.id) })
  await callOnce('deleteAssembly', { assemblyId: `${facts.warehouseId}` })
}
