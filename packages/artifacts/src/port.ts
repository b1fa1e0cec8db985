import type { Readable } from 'node:stream'

/**
 * A private folder of a run. Readers see nothing of it until `commit`. An abandoned stage is swept at the next start.
 */
export interface Stage {
  /** Absolute path of a local folder to write to. */
  folder: string
  /**
   * Makes the folder's content visible below `key`, completely or not at all. `key` must belong to the stage's tenant
   * (`invalid`) and must not exist yet (`taken`). After an error, the stage still exists. The folder may contain only
   * files and folders.
   */
  commit(key: string): Promise<void>
  /** Removes the folder. No effect once the stage is committed or discarded. */
  discard(): Promise<void>
}

export interface StoredFile {
  /** Relative to the root, `/`-separated, tenant first. */
  key: string
  sizeBytes: number
}

export interface OpenedFile {
  sizeBytes: number
  /** The file's bytes. Read it to its end, or destroy it. */
  stream: Readable
  /** The local path. The file may be read or linked, but never changed. Absent if the file is not on this machine. */
  path?: string | undefined
}

/**
 * Files of runs: result rows, previews. Keys are `<tenant>/<segments>`. Each segment consists of `[A-Za-z0-9._=-]`,
 * except `.` and `..`; anything else is refused with `invalid`. Guarantees (tested by `./testing`): a reader sees a
 * committed folder completely or not at all, even after a process was killed; a full disk or missing rights is
 * `unavailable` with a sentence; a missing file is `undefined` or an empty list, never an error.
 */
export interface Artifacts {
  stage(tenant: string): Promise<Stage>
  /**
   * The file named `prefix`, or all files below it, by key. `prefix` consists of whole segments, and may be a tenant.
   */
  list(prefix: string): Promise<StoredFile[]>
  open(key: string): Promise<OpenedFile | undefined>
  /** The text of a small file, at most 16 MiB (else `too-large`). */
  readText(key: string): Promise<string | undefined>
  /** Removes a folder or file with its content. Readers see this immediately. */
  remove(prefix: string): Promise<void>
  /** Removes stages that no process uses. */
  sweep(): Promise<void>
  /**
   * Checks whether the store answers, by one small request, whatever the size of the store. Throws `unavailable` with a
   * sentence if it does not.
   */
  check(): Promise<void>
  close(): Promise<void>
}
