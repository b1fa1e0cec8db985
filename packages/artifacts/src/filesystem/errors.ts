import { AssayError, isAssayError } from '@assay/service-kit/errors'

/** The system's code of an I/O error (https://nodejs.org/api/errors.html#common-system-errors). */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Whether the error means that nothing exists at the path. */
export function isAbsent(error: unknown): boolean {
  const code = systemCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

const sentences: { readonly [code: string]: string } = {
  ENOSPC: 'The disk of the results folder is full. Free some space and try again.',
  EDQUOT: 'The quota of the results folder is used up. Free some space and try again.',
  EACCES: 'Access to the results folder is denied. Check the permissions of the folder.',
  EPERM: 'Access to the results folder is denied. Check the permissions of the folder.',
  EROFS: 'The results folder is on a read-only file system. Mount it writable.',
  EIO: 'The disk of the results folder reported an error. Check the disk.',
  EMFILE: 'Too many files are open. Raise the limit of open files.',
  ENFILE: 'Too many files are open. Raise the limit of open files.',
  ESTALE: 'The results folder is on a volume that is gone. Mount it again.',
}

/** Returns `unavailable` for a failing folder or disk, `internal` for other errors, and an AssayError unchanged. */
export function translated(error: unknown): AssayError {
  if (isAssayError(error)) return error
  const sentence = sentences[systemCode(error) ?? '']
  if (sentence !== undefined) return new AssayError('unavailable', sentence, { cause: error })
  return new AssayError('internal', 'An operation on a file in the results folder failed.', { cause: error })
}

/** Runs `work` with its I/O errors translated. */
export async function translating<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translated(error)
  }
}
