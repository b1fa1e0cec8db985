import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'

/**
 * What makes a committed folder visible: which files it has, and below which id they were uploaded. Files that no manifest
 * names are seen by nobody.
 */
const manifest = z.object({
  version: z.literal(1),
  id: z.string().min(1),
  files: z.array(z.object({ name: z.string().min(1), sizeBytes: z.int().nonnegative() })),
})
export type Manifest = z.output<typeof manifest>

/** A note that objects of `id` may be there without a manifest: made before an upload or a removal, removed after it. */
const pending = z.object({ version: z.literal(1), id: z.string().min(1), key: z.string().min(1) })
export type Pending = z.output<typeof pending>

export function parseManifest(text: string): Manifest {
  try {
    return manifest.parse(JSON.parse(text))
  } catch (cause) {
    throw new AssayError('internal', 'The manifest of a stored result cannot be read.', { cause })
  }
}

/** `undefined` for a text that is no such note. */
export function parsePending(text: string): Pending | undefined {
  try {
    return pending.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Objects cannot have longer keys (https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html). */
const maxObjectKey = 1024

/**
 * Names of objects. `!` is no sign of an artifact's key, so no folder of one artifact is that of another.
 * `prefix`: before all of them; empty, or ends with `/`.
 */
export function createLayout(prefix: string) {
  const manifests = `${prefix}manifests/`
  const manifestName = '/!manifest.json'
  return {
    manifest: (key: string) => `${manifests}${key}${manifestName}`,
    /** All manifests of the artifact at `key` and of those below it. */
    manifestsFrom: (key: string) => `${manifests}${key}/`,
    /** The artifact's key of a manifest's. */
    keyOf: (object: string) =>
      object.endsWith(manifestName) ? object.slice(manifests.length, -manifestName.length) : undefined,
    file: (key: string, id: string, name: string) => `${prefix}files/${key}/!${id}/${name}`,
    filesOf: (key: string, id: string) => `${prefix}files/${key}/!${id}/`,
    pending: (tenant: string, id: string) => `${prefix}pending/${tenant}/${id}.json`,
    allPending: `${prefix}pending/`,
    checkLengths(keys: readonly string[]): void {
      if (keys.every((key) => Buffer.byteLength(key) <= maxObjectKey)) return
      throw new AssayError('invalid', 'The key of this artifact is too long for an object store. Give a shorter one.')
    },
  }
}
export type Layout = ReturnType<typeof createLayout>
