import type { LogFilter } from '../port.ts'

/**
 * Matches the names of the wanted streams, for the server's filter. Names of the server's own streams begin with `$`
 * and never match. Uses only syntax that means the same in .NET and JavaScript.
 */
export function streamNamePattern(categories: LogFilter['categories']): string {
  const category = categories === undefined ? '[^-]+' : `(?:${categories.map(escaped).join('|')})`
  return `^[^$/][^/]*/${category}-`
}

function escaped(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}#\s]/g, '\\$&')
}
