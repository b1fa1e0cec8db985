import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A part of the rows that a run keeps. */
export interface RowPart {
  /** Side, place among its parts and format: `bad/part-0.parquet`. */
  name: string
  /** Its bytes. */
  read(): AsyncIterable<Uint8Array>
  /** Gives its bytes a place in a file of this machine (absolute, in a folder that is there), without a copy where that can be. */
  moveTo(file: string): Promise<void>
}

/** Where kept rows leave an engine. Each part is given once, and is gone when the promise settles; a rejection ends the run. */
export type RowSink = (part: RowPart) => Promise<void>

/** A sink that puts each part below a folder, under its name. */
export function rowsInto(folder: string): RowSink {
  return async (part) => {
    const file = join(folder, part.name)
    await mkdir(dirname(file), { recursive: true })
    await part.moveTo(file)
  }
}

/** A sink for plans that keep no rows. */
export const noRows: RowSink = async ({ name }) => {
  throw new Error(`Nobody wanted ${name}.`)
}
