import { mkdir } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { HttpAnswer } from '../assay-process.ts'
import { createClient, type HttpClient } from './client.ts'
import { type Client, cannotRead, type Reader } from './clients-reader.ts'
import { makeAssembly, newUniqueName } from './fixtures.ts'
import { policyBody, policyKinds, policyNameOf } from './policy-bodies.ts'
import type { Target } from './target.ts'

export const api = '/catalog-server/api'

/** Fixtures for paths and bodies of the clients' calls; names contain spaces. */
export interface ClientFixtures {
  readonly names: Readonly<Record<string, string>>
  readonly client: HttpClient
  readonly folder: string
}

/** In the UID, `_` replaces the characters that would break a query. */
const oddName = "odd (1) = it's ü; a&b+c%41#.csv"
const oddNameInUid = "odd (1) = it's ü; a_b_c_41_.csv"

/** An assembly with two files, its assets, and a policy of every kind on one of them. */
export async function makeClientFixtures(target: Target): Promise<ClientFixtures> {
  const client = createClient(target, target.admin)
  const uniqueName = `${newUniqueName()} of clients`
  await mkdir(target.sharedFolder, { recursive: true })
  const { assemblyId, folder } = await makeAssembly(client, target.sharedFolder, uniqueName, {
    'twin.csv': 'id,name,age\n1,Ada,36\n',
    [oddName]: 'id,seen\n1,2026-01-01\n2,2026-01-02\n3,2026-01-03\n',
  })
  const ofName = async (name: string) => {
    const { data } = await client.good('GET', `${api}/assets/byUid/${encodeURIComponent(`${uniqueName}.${name}`)}`)
    return { id: String(data.id), uid: String(data.uid) }
  }
  const [people, twin, odd] = [await ofName('people.csv'), await ofName('twin.csv'), await ofName(oddNameInUid)]
  const names: Record<string, string> = {
    uniqueName,
    assemblyName: uniqueName,
    assemblyId: String(assemblyId),
    assetId: people.id,
    assetUid: people.uid,
    twinId: twin.id,
    oddId: odd.id,
    oddUid: odd.uid,
  }
  for (const kind of policyKinds) {
    const body = policyBody(kind, { uniqueName, assetId: people.id })
    const { rule } = await client.eventually(() => client.good('POST', `${api}/rules/${kind}`, body))
    names[`${kind}Id`] = String(rule.id)
    names[`${kind}Name`] = policyNameOf(kind, uniqueName)
  }
  // A list must have an element to show that clients can read it.
  await client.good('POST', `${api}/assets/${people.id}/comments`, { comment: 'well kept' })
  await client.good('POST', `${api}/rules/${names['data-qualityId']}/tag`, {
    ruleTag: { name: `rule tag ${uniqueName}` },
  })
  return { names, client, folder }
}

/** `~` is the catalog's prefix; `{name}` is a fixture, unescaped, as clients send it. */
export function filled(path: string, { names }: Pick<ClientFixtures, 'names'>): string {
  return path.replace(/^~/, api).replace(/\{([\w-]+)\}/g, (_, name) => {
    const value = names[name]
    if (value === undefined) throw new Error(`There is no fixture '${name}' for ${path}.`)
    return value
  })
}

/** The clients' timeout for an answer, in milliseconds. */
const readTimeoutMs = 15_000

/** Sends a request as all three clients do: both keys, a JSON content type on every method, any answer accepted. */
export async function ask(at: ClientFixtures, method: string, path: string, body?: unknown): Promise<HttpAnswer> {
  const begun = performance.now()
  const answer = await at.client.call(method, filled(path, at), body, { accept: '*/*' })
  const took = performance.now() - begun
  if (took > readTimeoutMs) throw new Error(`${method} ${path} took ${Math.round(took)} ms.`)
  return answer
}

/** The faults of an answer for these clients: not a success, not JSON, or unreadable for one of them. */
export function faultsFor(by: readonly Client[], reader: Reader, answer: HttpAnswer): string[] {
  if (answer.status !== 200) return [`${answer.status} ${answer.text}`]
  let body: unknown
  try {
    body = JSON.parse(answer.text)
  } catch {
    return [`the body is not JSON: ${answer.text.slice(0, 200)}`]
  }
  return by.flatMap((client) => cannotRead(reader, client, body).map((fault) => `${client}: ${fault}`))
}

/** Retries until there are no faults, because a service may not have received another service's event yet. */
export async function faultsInTheEnd(attempt: () => Promise<string[]>, waitMs = 30_000): Promise<string[]> {
  const end = performance.now() + waitMs
  for (;;) {
    const faults = await attempt()
    if (faults.length === 0 || performance.now() > end) return faults
    await pause(100)
  }
}
