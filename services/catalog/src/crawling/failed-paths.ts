/**
 * Paths that a crawl could not read. Assets at, above or below such a path may still exist, so they must not be marked
 * as vanished. An ambiguous path protects too many assets rather than too few.
 */
export interface FailedPaths {
  add(path: string): void
  /**
   * `parts`: names from below the assembly down to the asset. `isSet`: the asset consists of several files with other
   * names, so that any failure in its folder may concern one of them.
   */
  protects(parts: readonly string[], isSet?: boolean): boolean
}

function beginnings(path: string, separator: string): string[] {
  const parts = path.split(separator)
  return parts.map((_, index) => parts.slice(0, index + 1).join(separator))
}

/** `separators`: between the names of a path; `/` for files, also `.` for databases. */
export function createFailedPaths(separators: readonly ('/' | '.')[]): FailedPaths {
  const failed = new Set<string>()
  const above = new Set<string>()
  return {
    add(path) {
      const clean = path.replace(/^\.?\/+|\/+$/g, '')
      failed.add(clean === '.' ? '' : clean)
      for (const separator of separators) for (const beginning of beginnings(clean, separator)) above.add(beginning)
    },
    protects(parts, isSet = false) {
      if (failed.size === 0) return false
      if (failed.has('')) return true
      if (isSet && (parts.length === 1 || above.has(parts.slice(0, -1).join('/')))) return true
      // Databases name a table with or without its database and schema.
      const readings = separators.includes('.') ? parts.map((_, index) => parts.slice(index)) : [parts]
      return separators.some((separator) =>
        readings.some((names) => {
          const path = names.join(separator)
          return above.has(path) || beginnings(path, separator).some((beginning) => failed.has(beginning))
        }),
      )
    },
  }
}
