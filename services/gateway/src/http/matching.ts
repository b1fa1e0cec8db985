import type { Operation } from '@assay/contracts'
import { inMatchingOrder } from '@assay/service-kit'

/** An operation whose template fits a path, with what stands at its parameters, percent-decoded. */
export interface Match {
  operation: Operation
  /** Throws `URIError` for a broken percent-encoding. */
  params(): Record<string, string>
}

/** Segments of a path; one slash at its end says nothing. */
function segmentsOf(path: string): string[] {
  const segments = path.split('/')
  if (segments.length > 2 && segments.at(-1) === '') segments.pop()
  return segments
}

const isParameter = (segment: string) => segment.startsWith('{')

/** The first segments sort the templates; beyond them each is compared. */
const sorting = 4

/**
 * The operations whose template fits a path, literal segments before parameters. Templates are looked up by how many
 * segments they have and by the first ones: to try two hundred in turn would cost more than to answer.
 */
export function createMatching(operations: readonly Operation[]): (path: string) => Match[] {
  const templates = inMatchingOrder(operations, ({ path }) => path).map((operation) => ({
    operation,
    segments: segmentsOf(operation.path),
  }))
  type Template = (typeof templates)[number]
  // Only words of the templates become keys, so that nobody can make more lists than there are such words.
  const words = Array.from(
    { length: sorting },
    (_, at) => new Set(templates.map(({ segments }) => segments[at]).filter((segment) => segment !== undefined)),
  )
  const longest = Math.max(...templates.map(({ segments }) => segments.length))
  const lists = new Map<string, readonly Template[]>()

  function listed(segments: readonly string[]): readonly Template[] {
    let key = String(segments.length)
    for (let at = 0; at < sorting && at < segments.length; at += 1) {
      const segment = segments[at] ?? ''
      key += words[at]?.has(segment) === true ? `/${segment}` : '/{}'
    }
    const known = lists.get(key)
    if (known !== undefined) return known
    const fits = templates.filter(
      (template) =>
        template.segments.length === segments.length &&
        template.segments.slice(0, sorting).every((word, at) => isParameter(word) || word === segments[at]),
    )
    lists.set(key, fits)
    return fits
  }

  return (path) => {
    const segments = segmentsOf(path)
    if (segments.length > longest) return []
    const fits = (template: Template) =>
      template.segments.every((word, at) => (isParameter(word) ? segments[at] !== '' : word === segments[at]))
    return listed(segments)
      .filter(fits)
      .map(({ operation, segments: words }) => ({
        operation,
        params: () =>
          Object.fromEntries(
            words.flatMap((word, at) =>
              isParameter(word) ? [[word.slice(1, -1), decodeURIComponent(segments[at] ?? '')]] : [],
            ),
          ),
      }))
  }
}
