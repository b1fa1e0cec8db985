import type { LineWarning, LineWarnings } from '../../dataset.ts'

const KEPT = 100

/** Collects warnings about malformed lines: counts all, keeps the first 100. */
export function collectWarnings(): {
  add(warning: LineWarning): void
  addAll(more: LineWarnings, file?: string): void
  all(): LineWarnings
} {
  let total = 0
  const first: LineWarning[] = []
  const keep = (warning: LineWarning) => {
    if (first.length < KEPT) first.push(warning)
  }
  return {
    add(warning) {
      total += 1
      keep(warning)
    },
    addAll(more, file) {
      total += more.total
      for (const warning of more.first) {
        keep(file === undefined ? warning : { line: warning.line, message: `${file}: ${warning.message}` })
      }
    },
    all: () => ({ total, first: [...first] }),
  }
}

/** The first ten items of a list, and the number of further items. */
export function listed(texts: readonly string[]): string {
  const more = texts.length - 10
  return `${texts.slice(0, 10).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

export const noWarnings: LineWarnings = { total: 0, first: [] }
