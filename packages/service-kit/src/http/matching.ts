import type { Operation } from '@assay/contracts'

/** An operation whose template matches a path. */
export interface Match {
  operation: Operation
  /** The values of the template's parameters, percent-decoded. Throws `URIError` for an invalid encoding. */
  params(): Record<string, string>
}

/** Templates with a common prefix share a branch of the tree. */
interface Branch {
  literals: Map<string, Branch>
  parameter: Branch | undefined
  /** Operations whose templates end here, with the indexes of their parameters. */
  ends: { operation: Operation; parameters: readonly { name: string; at: number }[] }[]
}

/** The segments of a path; a slash at its end is ignored. */
function segmentsOf(path: string): string[] {
  const segments = path.split('/')
  if (segments.length > 2 && segments.at(-1) === '') segments.pop()
  return segments
}

const isParameter = (segment: string) => segment.startsWith('{')

const newBranch = (): Branch => ({ literals: new Map(), parameter: undefined, ends: [] })

function decoded(text: string): string {
  return text.includes('%') ? decodeURIComponent(text) : text
}

function grow(root: Branch, operation: Operation): void {
  const words = segmentsOf(operation.path)
  let branch = root
  for (const word of words) {
    if (isParameter(word)) {
      branch.parameter ??= newBranch()
      branch = branch.parameter
      continue
    }
    const next = branch.literals.get(word) ?? newBranch()
    branch.literals.set(word, next)
    branch = next
  }
  const parameters = words.flatMap((word, at) => (isParameter(word) ? [{ name: word.slice(1, -1), at }] : []))
  branch.ends.push({ operation, parameters })
}

function collect(branch: Branch, segments: readonly string[], at: number, found: Match[]): void {
  const segment = segments[at]
  if (segment === undefined) {
    for (const { operation, parameters } of branch.ends)
      found.push({
        operation,
        params() {
          const values: Record<string, string> = {}
          for (const parameter of parameters) values[parameter.name] = decoded(segments[parameter.at] ?? '')
          return values
        },
      })
    return
  }
  const literal = branch.literals.get(segment)
  if (literal !== undefined) collect(literal, segments, at + 1, found)
  if (branch.parameter !== undefined && segment !== '') collect(branch.parameter, segments, at + 1, found)
}

/**
 * The operations whose template matches a path. Literal segments come before parameters: `/rules/executions` before
 * `/rules/{identifier}`. The templates form a tree of segments, because trying two hundred templates one by one would
 * cost more than all other work for a request.
 */
export function createMatching(operations: readonly Operation[]): (path: string) => Match[] {
  const root = newBranch()
  for (const operation of operations) grow(root, operation)
  return (path) => {
    const found: Match[] = []
    collect(root, segmentsOf(path), 0, found)
    return found
  }
}
