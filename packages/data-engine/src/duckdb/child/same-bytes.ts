import { type FileHandle, open } from 'node:fs/promises'

/** Bytes of a file. */
export interface FileBytes {
  file: string
  start: number
  bytes: number
}

/** The bytes that are read at once. */
const pieceBytes = 1_048_576

/** Maximum number of files that stay open. Folders may have more files than a process may open. */
const mostOpen = 64

/** Compares bytes of files, one pair after the other. A file is opened once if its parts follow one another. */
export function createByteComparison(signal: AbortSignal) {
  const handles = new Map<string, Promise<FileHandle>>()
  const [one, other] = [Buffer.allocUnsafe(pieceBytes), Buffer.allocUnsafe(pieceBytes)]
  const opened = (file: string) => {
    const handle = handles.get(file) ?? open(file, 'r')
    handles.set(file, handle)
    return handle
  }
  const piece = async ({ file, start }: FileBytes, at: number, length: number, into: Buffer) =>
    (await (await opened(file)).read(into, 0, length, start + at)).bytesRead
  async function close() {
    const all = await Promise.allSettled(handles.values())
    handles.clear()
    for (const handle of all) if (handle.status === 'fulfilled') await handle.value.close()
  }
  return {
    close,
    async areSame(left: FileBytes, right: FileBytes): Promise<boolean> {
      if (left.bytes !== right.bytes) return false
      if (handles.size >= mostOpen) await close()
      for (let at = 0; at < left.bytes; at += pieceBytes) {
        signal.throwIfAborted()
        const length = Math.min(pieceBytes, left.bytes - at)
        const counts = await Promise.all([piece(left, at, length, one), piece(right, at, length, other)])
        if (counts.some((count) => count !== length)) return false
        if (!one.subarray(0, length).equals(other.subarray(0, length))) return false
      }
      return true
    },
  }
}
