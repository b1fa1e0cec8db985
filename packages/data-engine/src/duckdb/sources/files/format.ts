import type { FileFormat } from '../../../dataset.ts'

const formats: readonly [RegExp, FileFormat][] = [
  [/\.csv(\.gz|\.zst)?$/i, 'CSV'],
  [/\.(tsv|tab)(\.gz|\.zst)?$/i, 'TSV'],
  [/\.(ndjson|jsonl)(\.gz|\.zst)?$/i, 'NDJSON'],
  [/\.json(\.gz|\.zst)?$/i, 'JSON'],
  [/\.parquet$/i, 'PARQUET'],
]

/** The format that a file's name claims, or null. */
export function formatOf(name: string): FileFormat | null {
  return formats.find(([pattern]) => pattern.test(name))?.[1] ?? null
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
