import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Artifacts } from '@assay/artifacts'
import { AssayError } from '@assay/service-kit/errors'
import type { z } from 'zod'

const file = 'data.json'

/** Data of requested work, stored as JSON artifacts. Unlike data in events or documents, it can be deleted. */
export interface RequestedFiles<Data> {
  /** The key of the artifact for an attempt's data, whether or not it is stored. `attempt`: unique for the request. */
  keyOf(tenant: string, requestId: string, attempt: string): string
  /** Returns the artifact's key. Throws `unavailable` with a reason for people. */
  store(tenant: string, requestId: string, attempt: string, data: Data): Promise<string>
  /** Returns `undefined` if the data was removed. Throws `internal` if the stored data does not match the schema. */
  read(artifact: string): Promise<Data | undefined>
  /** Removes the data of one attempt. */
  remove(artifact: string): Promise<void>
  /** Removes the data of all attempts of a request, except the one that counts. */
  removeAll(tenant: string, requestId: string, except?: string): Promise<void>
}

/** `folder`: below the tenant, only for this kind of work. */
export function createRequestedFiles<Data>(options: {
  artifacts: Artifacts
  folder: string
  schema: z.ZodType<Data>
}): RequestedFiles<Data> {
  const { artifacts, folder, schema } = options
  const folderOf = (tenant: string, requestId: string) => `${tenant}/${folder}/${requestId}`
  const keyOf = (tenant: string, requestId: string, attempt: string) => `${folderOf(tenant, requestId)}/${attempt}`
  return {
    keyOf,
    async store(tenant, requestId, attempt, data) {
      const key = keyOf(tenant, requestId, attempt)
      const stage = await artifacts.stage(tenant)
      try {
        await writeFile(join(stage.folder, file), JSON.stringify(data)).catch(failed)
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
        return schema.parse(JSON.parse(text))
      } catch (cause) {
        throw new AssayError('internal', 'The stored data of this request cannot be read.', { cause })
      }
    },
    remove: (artifact) => artifacts.remove(artifact),
    async removeAll(tenant, requestId, except) {
      const root = folderOf(tenant, requestId)
      const files = await artifacts.list(root)
      const attempts = new Set(files.map(({ key }) => key.split('/').slice(0, -1).join('/')))
      for (const attempt of attempts) if (attempt !== except) await artifacts.remove(attempt)
      if (except === undefined) await artifacts.remove(root)
    },
  }
}

function failed(cause: unknown): never {
  throw new AssayError('unavailable', 'The data could not be written to the result folder.', { cause })
}
