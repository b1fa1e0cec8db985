import { type Crawl, catalogOperations } from '@assay/contracts'
import { isAssayError, messageOf } from '@assay/service-kit'
import type { InProcess } from './in-process.ts'

/** Prints messages of the first start to the terminal. `progress` overwrites its previous line if possible. */
export interface Narrator {
  say(line: string): void
  progress(line: string): void
}

export interface CrawlRequest {
  name: string
  description?: string
  sourceType: string
  configuration: { path: string; [key: string]: unknown }
}

type Pause = () => Promise<void>

/**
 * Crawls a source: as the assembly that already has this path, or as a new one (`name`, or `name-2` ... if the name is
 * taken). Returns the finished crawl, or undefined after it has reported that the source cannot be opened.
 */
export async function crawlSource(
  client: InProcess,
  request: CrawlRequest,
  narrator: Narrator,
  pause: Pause,
): Promise<Crawl | undefined> {
  try {
    const { crawlId, name } = (await crawlKnown(client, request)) ?? (await crawlNew(client, request))
    return await follow(client, crawlId, name, narrator, pause)
  } catch (error) {
    narrator.say(`${request.configuration.path} was not crawled: ${messageOf(error)}`)
    return undefined
  }
}

interface Started {
  crawlId: number
  name: string
}

async function crawlKnown(client: InProcess, request: CrawlRequest): Promise<Started | undefined> {
  for (let page = 0; ; page += 1) {
    const { data, meta } = await client.call(catalogOperations.listAssemblies, {
      query: { page: String(page), size: '500' },
    })
    const known = data.find((assembly) => assembly.configuration?.path === request.configuration.path)
    if (known) {
      return { crawlId: (await crawlOf(client, known.id)).id, name: known.name }
    }
    if ((page + 1) * meta.size >= meta.count) return undefined
  }
}

/** A new crawl of an assembly, or the interrupted one that this start resumes. */
async function crawlOf(client: InProcess, assemblyId: number): Promise<Crawl> {
  const params = { id: String(assemblyId) }
  try {
    return (await client.call(catalogOperations.startCrawl, { params })).data
  } catch (error) {
    const query = { size: '1', sortBy: 'id:desc' }
    const [last] = (await client.call(catalogOperations.listCrawls, { params, query })).data
    if (!isAssayError(error, 'unprocessable') || last?.status !== 'RUNNING') throw error
    return last
  }
}

async function crawlNew(client: InProcess, request: CrawlRequest): Promise<Started> {
  for (let attempt = 1; ; attempt += 1) {
    const name = attempt === 1 ? request.name : `${request.name}-${attempt}`
    try {
      const { data } = await client.call(catalogOperations.createAssembly, { body: { ...request, name } })
      const crawls = await client.call(catalogOperations.listCrawls, {
        params: { id: String(data.id) },
        query: { size: '1', sortBy: 'id:desc' },
      })
      const crawl = crawls.data[0]
      if (!crawl) throw new Error('its first crawl did not start')
      return { crawlId: crawl.id, name }
    } catch (error) {
      if (!isAssayError(error, 'taken') || attempt >= 100) throw error
    }
  }
}

async function follow(
  client: InProcess,
  crawlId: number,
  name: string,
  narrator: Narrator,
  pause: Pause,
): Promise<Crawl> {
  for (;;) {
    const { data } = await client.call(catalogOperations.getCrawl, { params: { id: String(crawlId) } })
    if (data.status !== 'RUNNING') {
      const unread = data.failed > 0 ? `, ${data.failed} could not be read` : ''
      narrator.say(
        data.status === 'SUCCESSFUL'
          ? `Crawled '${name}': ${Math.max(0, data.done - data.failed)} of ${data.found} tables${unread}.`
          : `The crawl of '${name}' was not finished (${data.status}).`,
      )
      for (const error of data.errors.slice(0, 5)) narrator.say(`  ${error.path}: ${error.message}`)
      return data
    }
    narrator.progress(`Crawling '${name}': ${data.done} of ${data.found} tables ...`)
    await pause()
  }
}
