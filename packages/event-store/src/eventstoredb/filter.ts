import type { LogFilter } from '../port.ts'

/**
 * Matches the names of the wanted streams, for the server's filter. `$` begins the names of the server's own streams,
 * which are never wanted. Uses only syntax that .NET and JavaScript read alike.
 */
export function streamNamePattern(categories: LogFilter['categories']): string {
  const category = categories === undefined ? '[^-]+' : `(?:${categories.map(escaped).join('|')})`
  return `^[^$/][^/]*/${category}-`
}

function escaped(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}#\s]/g, '\\$&')
}
