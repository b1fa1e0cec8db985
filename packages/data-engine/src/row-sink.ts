import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A part of the rows that a run stores. */
export interface RowPart {
  /** The kind of rows, a number and the format: `bad/part-0.parquet`. */
  name: string
  /** The bytes of the part. */
  read(): AsyncIterable<Uint8Array>
  /** Moves the bytes to a local file (absolute, in an existing folder), without a copy if possible. */
  moveTo(file: string): Promise<void>
}

/**
 * Receives the stored rows of an engine. Each part is passed once, and is invalid after the promise settles. A
 * rejection ends the run.
 */
export type RowSink = (part: RowPart) => Promise<void>

/** A sink that stores each part in a folder, under its name. */
export function rowsInto(folder: string): RowSink {
  return async (part) => {
    const file = join(folder, part.name)
    await mkdir(dirname(file), { recursive: true })
    await part.moveTo(file)
  }
}

/** A sink for plans that store no rows. */
export const noRows: RowSink = async ({ name }) => {
  throw new Error(`${name} was not requested.`)
}
