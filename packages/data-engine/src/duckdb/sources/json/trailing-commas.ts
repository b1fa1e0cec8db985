import type { LineWarnings } from '../../../dataset.ts'
import type { MountContext } from '../../mount.ts'
import { openText } from '../csv/bytes.ts'
import type { FileSet } from '../files/reading.ts'
import { collectWarnings } from '../warnings.ts'

/** Longer lines are not looked at: they would have to be held in memory. */
const longestLine = 16 << 20
const candidate = /,\s*[}\]]/

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Lines of NDJSON that hold a comma with nothing after it, which the engine reads as if it were not there. */
export async function trailingCommas(
  { signal }: Pick<MountContext, 'signal'>,
  { files }: Pick<FileSet, 'files'>,
): Promise<LineWarnings> {
  const warnings = collectWarnings()
  for (const { path, relative } of files) {
    const inFile = collectWarnings()
    let line = 0
    const look = (text: string) => {
      line += 1
      if (candidate.test(text) && !isJson(text))
        inFile.add({ line, message: 'is no JSON: a comma has nothing after it; it was read without the comma' })
    }
    let rest = ''
    const { chunks } = await openText(path, undefined, relative)
    for await (const chunk of chunks()) {
      signal.throwIfAborted()
      // Bytes as characters: only those that ASCII has matter here, and no chunk cuts one of them.
      const lines = (rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')).split('\n')
      rest = lines.pop() ?? ''
      for (const text of lines) look(text)
      if (rest.length > longestLine) break
    }
    if (rest.length <= longestLine) look(rest)
    warnings.addAll(inFile.all(), files.length === 1 ? undefined : relative)
  }
  return warnings.all()
}
