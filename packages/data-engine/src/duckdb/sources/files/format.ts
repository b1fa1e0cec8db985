import type { FileFormat } from '../../../dataset.ts'

const formats: readonly [RegExp, FileFormat][] = [
  [/\.csv(\.gz|\.zst)?$/i, 'CSV'],
  [/\.(tsv|tab)(\.gz|\.zst)?$/i, 'TSV'],
  [/\.(ndjson|jsonl)(\.gz|\.zst)?$/i, 'NDJSON'],
  [/\.json(\.gz|\.zst)?$/i, 'JSON'],
  [/\.parquet$/i, 'PARQUET'],
]

/** The format that a file's name suggests, or null. */
export function formatOf(name: string): FileFormat | null {
  return formats.find(([pattern]) => pattern.test(name))?.[1] ?? null
}

export type DatabaseEngine = 'SQLITE' | 'DUCKDB'

/**
 * Whether a file may be a database, judging by its name. Only its first bytes show whether it is one, and of which
 * engine.
 */
export function maybeDatabase(name: string): boolean {
  return /\.(sqlite3?|db3?|duckdb|ddb)$/i.test(name)
}

/** Whether a file's name can only be that of a database. `.db` does not count, because many programs use it. */
export function mustBeDatabase(name: string): boolean {
  return maybeDatabase(name) && !/\.db3?$/i.test(name)
}

/** The engine that writes files with these first 16 bytes, or null. */
export function databaseEngineOf(head: Uint8Array): DatabaseEngine | null {
  const text = Buffer.from(head).toString('latin1')
  if (text.startsWith('SQLite format 3\0')) return 'SQLITE'
  return text.startsWith('DUCK', 8) ? 'DUCKDB' : null
}

/** Hidden, temporary and bookkeeping files: `.x`, `_SUCCESS`, `_x`, `x~`, `~x`. */
export function isHidden(name: string): boolean {
  return name.startsWith('.') || name.startsWith('_') || name.startsWith('~') || name.endsWith('~')
}

/** The key and value of a folder name such as `year=2026`, or null. */
export function partitionOf(name: string): { key: string; value: string } | null {
  const found = /^([^=]+)=(.*)$/s.exec(name)
  if (found?.[1] === undefined || found[2] === undefined) return null
  return { key: unescaped(found[1]), value: unescaped(found[2]) }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
