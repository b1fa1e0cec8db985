import type { Readable } from 'node:stream'

/** A private folder of a run. Readers see nothing of it until `commit`; an abandoned one is swept at the next start. */
export interface Stage {
  /** Absolute path of a local folder to write to. */
  folder: string
  /**
   * Makes the folder's content visible below `key`, completely or not at all. `key` must belong to the stage's tenant
   * (`invalid`) and must not exist yet (`taken`); after an error the stage still exists. The folder may hold only files
   * and folders.
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
  /** The local path, to be read or linked, never changed. Absent if the file is not on this machine. */
  path?: string | undefined
}

/**
 * Files of runs: result rows, previews. Keys are `<tenant>/<segments>`, each segment of `[A-Za-z0-9._=-]`, except `.`
 * and `..`; anything else is refused with `invalid`. Guarantees (tested by `./testing`): a reader sees a committed
 * folder completely or not at all, also after a kill; a full disk or missing rights is `unavailable` with a sentence; a
 * missing file is `undefined` or an empty list, never an error.
 */
export interface Artifacts {
  stage(tenant: string): Promise<Stage>
  /**
   * The file named by `prefix`, or all files below it (whole segments, not parts of names), by key. `prefix` may be a
   * tenant.
   */
  list(prefix: string): Promise<StoredFile[]>
  open(key: string): Promise<OpenedFile | undefined>
  /** The text of a small file, at most 16 MiB (else `too-large`). */
  readText(key: string): Promise<string | undefined>
  /** Removes a folder or file with its content; readers see that immediately. */
  remove(prefix: string): Promise<void>
  /** Removes stages that no process holds any more. */
  sweep(): Promise<void>
  /**
   * Whether the store answers: one small request, whatever the size of the store. Throws `unavailable` with a sentence
   * if it does not.
   */
  check(): Promise<void>
  close(): Promise<void>
}
