import type { LineWarnings } from '../../../dataset.ts'
import type { MountContext } from '../../mount.ts'
import { openText } from '../csv/bytes.ts'
import type { FileSet } from '../files/reading.ts'
import { collectWarnings } from '../warnings.ts'

/** Maximum length of a checked line, because lines must be held in memory. */
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

/** Warnings about lines of NDJSON with a trailing comma, which the engine ignores. */
export async function trailingCommas(
  { signal }: Pick<MountContext, 'signal'>,
  { files }: Pick<FileSet, 'files'>,
): Promise<LineWarnings> {
  const warnings = collectWarnings()
  for (const { path, relative } of files) {
    const inFile = collectWarnings()
    let line = 0
    const checkLine = (text: string) => {
      line += 1
      if (candidate.test(text) && !isJson(text))
        inFile.add({ line, message: 'is not valid JSON: it has a trailing comma, which was ignored' })
    }
    let rest = ''
    const { chunks } = await openText(path, undefined, relative)
    for await (const chunk of chunks()) {
      signal.throwIfAborted()
      // Treats each byte as a character. Only ASCII characters matter here, and a chunk never splits one.
      const lines = (rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')).split('\n')
      rest = lines.pop() ?? ''
      for (const text of lines) checkLine(text)
      if (rest.length > longestLine) break
    }
    if (rest.length <= longestLine) checkLine(rest)
    warnings.addAll(inFile.all(), files.length === 1 ? undefined : relative)
  }
  return warnings.all()
}
