import { createReadStream } from 'node:fs'
import { copyFile, rename, rm } from 'node:fs/promises'
import type { RowPart } from '../row-sink.ts'

/** A part of kept rows that is a file. */
export function filePart(name: string, file: string): RowPart {
  return { name, read: () => createReadStream(file), moveTo: (to) => move(file, to) }
}

/** Renames the file if both folders are on one file system; otherwise copies it. */
export async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch {
    await copyFile(from, to)
    await rm(from)
  }
}
