import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HttpClient } from './client.ts'
import { type Fixtures, newUniqueName } from './fixtures.ts'
import { policyBody, policyKinds } from './policy-bodies.ts'

const api = '/catalog-server/api'

/** Crawls the assembly of the fixtures again, after adding a column to its file. */
async function crawlAgain(client: HttpClient, { folder, assemblyId }: Fixtures): Promise<void> {
  const file = join(folder, 'people.csv')
  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  const wider = lines.map((line, at) => `${line},${at === 0 ? newUniqueName() : 'x'}\n`)
  await writeFile(file, wider.join(''))
  const assembly = `${api}/assemblies/${assemblyId}`
  await client.good('POST', `${assembly}/crawl`, {})
  await client.until(
    `${assembly}/crawls?sortBy=id:desc`,
    ({ status, json }) => status === 200 && json.data[0]?.status !== 'RUNNING',
  )
}

/** Runs the policy of a kind to its end. Returns false if policies of that kind cannot run. */
async function runOf(client: HttpClient, fixtures: Fixtures, kind: string): Promise<boolean> {
  const path = `${api}/rules/${kind}/${fixtures[`${kind}Id`]}/executions`
  const started = await client.eventually(async () => {
    const answer = await client.call('POST', path, {})
    // Another service starts the run and may not know the new policy yet.
    if (answer.status !== 200 && answer.status !== 501) throw new Error(`POST ${path} -> ${answer.text}`)
    return answer
  })
  if (started.status === 501) return false
  await client.until(
    `${api}/rules/${kind}/executions/${started.json.execution.id}`,
    ({ status, json }) => status === 200 && json.execution.finishedAt !== null,
  )
  return true
}

/** Adds a row to each listing that is about one of the fixtures. Returns the kinds of policies that can run. */
export async function addBelow(client: HttpClient, fixtures: Fixtures): Promise<string[]> {
  const { assetId = '', assetUid, serviceUserId } = fixtures
  const asset = `${api}/assets/${assetId}`
  await client.good('POST', `${asset}/comments`, { comment: newUniqueName() })
  await client.good('POST', `${asset}/tag`, { name: newUniqueName() })
  await client.good('POST', `${api}/rules/${fixtures['data-qualityId']}/tag`, { ruleTag: { name: newUniqueName() } })
  await client.good('POST', `/admin/api/v1/service-users/${serviceUserId}/api-key`, {
    displayName: newUniqueName(),
    validTill: '2099-01-01T00:00:00Z',
  })
  await client.good('PUT', `${api}/assets/byUid/${assetUid}/config/reference-configuration`, { validateNow: true })
  await crawlAgain(client, fixtures)
  await client.good(
    'POST',
    `${api}/rules/data-quality`,
    policyBody('data-quality', { uniqueName: newUniqueName(), assetId }),
  )
  const ran: string[] = []
  for (const kind of policyKinds) if (await runOf(client, fixtures, kind)) ran.push(kind)
  return ran
}
