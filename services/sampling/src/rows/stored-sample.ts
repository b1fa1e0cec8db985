import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Artifacts } from '@assay/artifacts'
import { type SampleData, sampleData } from '@assay/contracts'
import { AssayError, isAssayError } from '@assay/service-kit/errors'

const file = 'sample.json'

function folderOf(tenant: string, requestId: string): string {
  return `${tenant}/samples/${requestId}`
}

/** The rows of samples, as JSON among the artifacts: never in events or documents. */
export interface StoredSamples {
  /** `attempt`: unique. Answers the artifact's key. Error: `unavailable` with a sentence. */
  store(tenant: string, requestId: string, attempt: string, data: SampleData): Promise<string>
  /** `undefined` if they are gone. Error: `internal` if the stored data is not a sample. */
  read(artifact: string): Promise<SampleData | undefined>
  /** Removes one attempt's rows. */
  remove(artifact: string): Promise<void>
  /** Removes the rows of all attempts of a request, except the one that counts. */
  removeAll(tenant: string, requestId: string, except?: string): Promise<void>
}

export function createStoredSamples({ artifacts }: { artifacts: Artifacts }): StoredSamples {
  return {
    async store(tenant, requestId, attempt, data) {
      const key = `${folderOf(tenant, requestId)}/${attempt}`
      const stage = await artifacts.stage(tenant)
      try {
        await write(join(stage.folder, file), JSON.stringify(data))
        await stage.commit(key)
      } finally {
        await stage.discard()
      }
      return key
    },
    async read(artifact) {
      const text = await artifacts.readText(`${artifact}/${file}`)
      if (text === undefined) return undefined
      try {
        return sampleData.parse(JSON.parse(text))
      } catch (cause) {
        throw new AssayError('internal', 'The stored rows of this sample cannot be read.', { cause })
      }
    },
    remove: (artifact) => artifacts.remove(artifact),
    async removeAll(tenant, requestId, except) {
      const folder = folderOf(tenant, requestId)
      const files = await artifacts.list(folder)
      const attempts = new Set(files.map(({ key }) => key.split('/').slice(0, -1).join('/')))
      for (const attempt of attempts) if (attempt !== except) await artifacts.remove(attempt)
      if (except === undefined) await artifacts.remove(folder)
    },
  }
}

async function write(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text)
  } catch (cause) {
    if (isAssayError(cause)) throw cause
    throw new AssayError('unavailable', 'The rows of the sample could not be written to the result folder.', { cause })
  }
}
