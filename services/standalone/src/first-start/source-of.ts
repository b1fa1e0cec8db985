import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { AssayError } from '@assay/service-kit/errors'

/** The request that creates an assembly for a folder or file. The first bytes of a file determine the source type. */
export async function sourceOf(
  path: string,
): Promise<{ name: string; sourceType: string; configuration: { path: string } }> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw new AssayError('invalid', 'nothing at this path can be read.')
  const kind = found.isDirectory() ? 'FILE' : await kindOfFile(path)
  return { name: assemblyName(basename(path)), sourceType: kind, configuration: { path } }
}

async function kindOfFile(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    const head = Buffer.alloc(16)
    await file.read(head, 0, 16, 0)
    if (head.toString('latin1') === 'SQLite format 3\0') return 'SQLITE'
    if (head.toString('latin1', 8, 12) === 'DUCK') return 'DUCKDB'
    return 'FILE'
  } finally {
    await file.close()
  }
}

/** A folder named `2026` becomes `data-2026`, because a name of only digits could be confused with an id. */
function assemblyName(base: string): string {
  const name = base === '' ? 'root' : base
  return /^\d+$/.test(name) ? `data-${name}` : name
}
