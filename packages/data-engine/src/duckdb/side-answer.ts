import { open } from 'node:fs/promises'
import { AssayError } from '@assay/service-kit/errors'
import type { SideRequest, SourceSide } from '../compared-source.ts'

/**
 * Writes the answer of a side to a new file, as JSON lines with the keys `c0`, `c1`, and so on. Returns the bytes of
 * the longest line.
 */
export async function writeAnswer(
  side: SourceSide,
  request: SideRequest,
  { file, maxMb }: { file: string; maxMb: number },
): Promise<number> {
  const handle = await open(file, 'wx')
  let [bytes, longest] = [0, 0]
  try {
    for await (const rows of side.read(request)) {
      const lines = rows.map(
        (row) => `${JSON.stringify(Object.fromEntries(row.map((text, index) => [`c${index}`, text])))}\n`,
      )
      for (const line of lines) longest = Math.max(longest, Buffer.byteLength(line))
      const part = Buffer.from(lines.join(''))
      bytes += part.length
      if (bytes > maxMb * 1_000_000) {
        const sentence = `The data that the database sends needs more than the ${maxMb} MB of temporary space of a run. Read fewer rows, with a filter or a marker, or fewer columns.`
        throw new AssayError('too-large', sentence)
      }
      await handle.writeFile(part)
    }
  } finally {
    await handle.close()
  }
  return longest
}
