const special = /[*?[{]/

/** Whether a path contains wildcards. */
export function hasWildcard(path: string): boolean {
  return special.test(path)
}

function escaped(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

function bodyOf(glob: string): string {
  let body = ''
  let depth = 0
  for (let i = 0; i < glob.length; i += 1) {
    const character = glob[i] ?? ''
    if (character === '*' && glob[i + 1] === '*') {
      const folder = glob[i + 2] === '/'
      body += folder ? '(?:[^/]+/)*' : '.*'
      i += folder ? 2 : 1
    } else if (character === '*') body += '[^/]*'
    else if (character === '?') body += '[^/]'
    else if (character === '[' && glob.indexOf(']', i + 2) !== -1) {
      const end = glob.indexOf(']', i + 2)
      const inner = glob.slice(i + 1, end)
      const negated = inner.startsWith('!') || inner.startsWith('^')
      const set = (negated ? inner.slice(1) : inner).replace(/[\\\]^[]/g, '\\$&')
      body += negated ? `[^/${set}]` : `[${set}]`
      i = end
    } else if (character === '{' && glob.indexOf('}', i) !== -1) {
      depth += 1
      body += '(?:'
    } else if (character === '}' && depth > 0) {
      depth -= 1
      body += ')'
    } else if (character === ',' && depth > 0) body += '|'
    else if (character === '\\' && i + 1 < glob.length) {
      i += 1
      body += escaped(glob[i] ?? '')
    } else body += escaped(character)
  }
  return body + ')'.repeat(depth)
}

/**
 * A matcher for paths with `/`, relative to the source. `*` and `?` match within a name, `**` across folders; `[a-c]`,
 * `[!a]` and `{a,b}` work as in a shell. A glob that matches a folder matches everything below it.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const clean = glob.replace(/^\.?\//, '').replace(/\/$/, '')
  let pattern: RegExp
  try {
    pattern = new RegExp(`^${bodyOf(clean)}(?:/.*)?$`, 'su')
  } catch {
    return (path) => path === clean
  }
  return (path) => pattern.test(path)
}

/** Whether any of the globs matches; false if there are none. */
export function anyMatcher(globs: readonly string[]): (path: string) => boolean {
  const matchers = globs.map(globMatcher)
  return (path) => matchers.some((matches) => matches(path))
}

/** A file's path, escaped so that the engine's readers do not interpret wildcards in it. */
export function literalPath(path: string): string {
  return path.replace(/[*?[]/g, '[$&]')
}
