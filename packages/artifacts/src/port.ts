import type { Readable } from 'node:stream'

/** A folder of a run's own. Nothing in it is seen by readers until `commit`; an abandoned one is swept at the next start. */
export interface Stage {
  /** Absolute path of a local folder to write into. */
  folder: string
  /**
   * Makes the folder's content visible below `key`, whole or not at all. `key` must be of the stage's tenant (`invalid`)
   * and must not exist yet (`taken`); after an error the stage is still there. The folder holds files and folders only.
   */
  commit(key: string): Promise<void>
  /** Removes the folder. Nothing happens once the stage is committed or discarded. */
  discard(): Promise<void>
}

export interface StoredFile {
  /** Relative to the root, `/`-separated, tenant first. */
  key: string
  sizeBytes: number
}

/**
 * Files that runs leave behind: result rows, previews. Keys are `<tenant>/<segments>`, each segment of `[A-Za-z0-9._=-]`,
 * none of them `.` or `..`; anything else is refused with `invalid`.
 * Promises (asked by `./testing`): a reader sees a committed folder whole or not at all, also after a kill; a full disk
 * or missing rights is `unavailable` with a sentence; what is not there is `undefined` or an empty list, never an error.
 */
export interface Artifacts {
  stage(tenant: string): Promise<Stage>
  /** The file named by `prefix`, or all files below it (whole segments, no parts of names), by key. Also of a tenant. */
  list(prefix: string): Promise<StoredFile[]>
  /** A stream of the file's bytes. */
  open(key: string): Promise<{ sizeBytes: number; stream: Readable } | undefined>
  /** The text of a small file, at most 16 MiB (else `too-large`). */
  readText(key: string): Promise<string | undefined>
  /** Removes a folder or file and all below it, for readers at once. */
  remove(prefix: string): Promise<void>
  /** Removes stages that no process holds any more. */
  sweep(): Promise<void>
  /** Whether the store answers: one small look, however much it holds. `unavailable` with a sentence where it does not. */
  check(): Promise<void>
  close(): Promise<void>
}
