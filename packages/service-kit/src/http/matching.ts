import type { Operation } from '@assay/contracts'

/** An operation whose template fits a path. */
export interface Match {
  operation: Operation
  /** What stands at the template's parameters, percent-decoded. Throws `URIError` for a broken encoding. */
  params(): Record<string, string>
}

/** Templates that begin alike share a branch. */
interface Branch {
  literals: Map<string, Branch>
  parameter: Branch | undefined
  /** Whose templates end here, with the places of their parameters. */
  ends: { operation: Operation; parameters: readonly { name: string; at: number }[] }[]
}

/** Segments of a path; one slash at its end says nothing. */
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
 * The operations whose template fits a path, literal segments before parameters: `/rules/executions` before
 * `/rules/{identifier}`. Templates are a tree of their segments: to try two hundred in turn would cost more than to
 * answer.
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
