import { policyKinds } from '../http-suite/policy-bodies.ts'
import { idOf, type Stage } from './stage.ts'

/** Three million flights: a run on them is still in progress when it is cancelled. */
const flights = 'samples.flights-3m.parquet'
const attempts = 20

/** Starts things and cancels them while they run. */
export async function cancel({ recorder, does, made, facts, failures }: Stage): Promise<void> {
  const policy = await recorder.eventually('createDataQualityRule', {
    body: {
      rule: { name: 'No flight twice', backingAsset: { tableAssetUid: flights } },
      items: [{ measurementType: 'DUPLICATE_ROWS_CHECK' }],
    },
  })
  /** Only running things can be cancelled. */
  const within = async (id: string, start: () => Promise<Record<string, string>>) => {
    for (let attempt = 1; !recorder.has(id); attempt += 1) {
      const more = await start()
      await does(id, more).catch((error: Error) => {
        if (attempt === attempts) throw error
      })
    }
  }
  const crawlId = async () => ({ crawlId: String((await made('startCrawl')).data.id) })
  const executionId = async () => {
    const { execution } = await made('triggerDataQualityExecution', { 'data-qualityId': String(policy.rule.id) })
    return { 'data-qualityExecutionId': String(execution.id) }
  }
  const profileId = async () => ({
    profileId: String((await made('startProfile', { assetId: `${facts.flightsId}` })).data.id),
  })
  const requestId = async () => ({
    requestId: (await made('requestAssetSampleAsync', { assetId: `${facts.flightsId}` })).requestId,
  })
  const jobId = async () => {
    const { assetConfiguration } = await made('updateReferenceConfigurationByUid', { assetUid: flights })
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
    await within(id, start).catch((error: Error) => {
      failures.push(error.message)
    })
}

/** Deletes what was created, and restores what can be restored. */
export async function takeAway(stage: Stage): Promise<void> {
  const { recorder, does, tries, facts } = stage
  for (const kind of policyKinds)
    for (const path of ['{id}', 'byName/{name}']) {
      await tries(idOf('DELETE', `/rules/${kind}/${path}`))
      await tries(idOf('POST', `/rules/${kind}/${path}/unarchive`))
    }
  await tries('deleteServiceUserKey')
  await tries('deleteUserApiKey', { accessKey: (await does('createServiceUserKey')).accessKey })
  await tries('revokeApiKey', { accessKey: `${facts.dashboardKey}` })
  const { body } = recorder.examples().createPersistenceConfig ?? {}
  // The first one is the default now, so it cannot be deleted.
  const other = await recorder.does('createPersistenceConfig', { body: Object.assign({}, body, { name: 'by day' }) })
  await tries('deletePersistenceConfig', { storageId: String(other.id) })
  await tries('deleteAssembly', { assemblyId: `${facts.warehouseId}` })
}
