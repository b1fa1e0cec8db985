import { messageOf } from '@assay/service-kit'
import type { compose } from '../compose.ts'
import { crawlSource, type Narrator } from './crawl-sources.ts'
import { type InProcess, inProcess } from './in-process.ts'
import { withRetries } from './retries.ts'
import { runSamples } from './run-samples.ts'
import { sampleAssemblyRequest } from './samples.ts'
import { areSamplesWanted } from './samples-wanted.ts'
import { sourceOf } from './source-of.ts'

interface Start {
  system: Pick<Awaited<ReturnType<typeof compose>>, 'gateway' | 'services'>
  url: string
  /** Absolute paths to crawl. */
  sources: readonly string[]
  samples: boolean
  narrator: Narrator
  newId: () => string
  pause: () => Promise<void>
  signal: AbortSignal
}

/** Prints Assay's address and keys, crawls the given sources (or, once, the samples), and prints the findings. */
export async function firstSteps(start: Start): Promise<void> {
  const { system, url, sources, samples, narrator, newId, signal } = start
  const admin = await system.gateway.firstStart()
  narrator.say(`Assay is ready: ${url}  (API: ${url}/docs)`)
  if (admin?.generated) {
    narrator.say('Administrator key pair, shown only once and not stored in plain text:')
    narrator.say(`  accessKey: ${admin.accessKey}\n  secretKey: ${admin.secretKey}`)
  }
  // A stop aborts these steps with an error that is not reported.
  const pause = async () => {
    await start.pause()
    signal.throwIfAborted()
  }
  const client = withRetries(inProcess(system.services, 'default', newId), pause)
  try {
    for (const path of sources) await crawlPath(client, path, narrator, pause)
    const run = sources.length === 0 && samples ? await samplesOnce(client, narrator, pause) : undefined
    narrator.say(hint(url, admin?.generated ? admin : undefined, run))
  } catch (error) {
    if (!signal.aborted) narrator.say(`The first steps were not finished: ${messageOf(error)}`)
  }
}

async function crawlPath(
  client: InProcess,
  path: string,
  narrator: Narrator,
  pause: () => Promise<void>,
): Promise<void> {
  try {
    await crawlSource(client, await sourceOf(path), narrator, pause)
  } catch (error) {
    narrator.say(`${path} was not crawled: ${messageOf(error)}`)
  }
}

async function samplesOnce(
  client: InProcess,
  narrator: Narrator,
  pause: () => Promise<void>,
): Promise<number | undefined> {
  const samples = sampleAssemblyRequest()
  if (!(await areSamplesWanted(client, samples))) return undefined
  const crawl = await crawlSource(client, samples, narrator, pause)
  return crawl?.status === 'SUCCESSFUL' ? runSamples(client, narrator, pause) : undefined
}

/** A command to copy: the bad rows of the first run, or the assets. */
function hint(
  url: string,
  admin: { accessKey: string; secretKey: string } | undefined,
  run: number | undefined,
): string {
  const path =
    run === undefined
      ? '/catalog-server/api/assets'
      : `/catalog-server/api/rules/data-quality/executions/${run}/rows?category=bad`
  const headers = `-H 'accessKey: ${admin?.accessKey ?? '...'}' -H 'secretKey: ${admin?.secretKey ?? '...'}'`
  return `\nTry:\n  curl -s ${headers} '${url}${path}'`
}
