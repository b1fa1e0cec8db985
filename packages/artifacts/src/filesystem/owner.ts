import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AssayError } from '@assay/service-kit/errors'
import { isAbsent, systemCode } from './errors.ts'

/** The path, or its nearest parent that exists. */
async function nearest(path: string): Promise<{ path: string; owner: number }> {
  try {
    return { path, owner: (await stat(path)).uid }
  } catch (error) {
    if (isAbsent(error) && dirname(path) !== path) return nearest(dirname(path))
    throw error
  }
}

/**
 * The error, with advice, for a results folder that this process may not use. Usually the cause is a volume that
 * belongs to root. `undefined` for any other error.
 */
export async function foreignFolder(root: string, error: unknown): Promise<AssayError | undefined> {
  const code = systemCode(error)
  if (code !== 'EACCES' && code !== 'EPERM') return undefined
  const user = process.geteuid?.() ?? 'this one'
  const { path, owner } = await nearest(root)
  return new AssayError(
    'unavailable',
    `The results folder ${root} cannot be used by user ${user}: ${path} belongs to user ${owner}. Give it to user ${user} (chown -R ${user}:${user} ${path}; in Kubernetes set fsGroup ${user}, or mount a volume that supports it).`,
    { cause: error },
  )
}
