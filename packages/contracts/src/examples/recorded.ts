import { readFileSync } from 'node:fs'
import type { Operation } from '../operations/operation.ts'

/** What was sent to an operation, and what came back; what an operation does not have is absent. */
export interface Example {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  answer?: unknown
  /** Instead of an answer, where this version has none to give: what it says, and with which status. */
  refused?: { status: number; answer: unknown }
}

let kept: Readonly<Record<string, Example>> | undefined

/**
 * An example for each operation, by its id: recorded by `npm run documents:examples` from a run on published data, in which
 * times, keys and random ids are made stable and lists are cut at three. Read when first asked for, as only what serves or
 * writes documents needs them.
 */
export function recordedExamples(): Readonly<Record<string, Example>> {
  kept ??= JSON.parse(readFileSync(new URL('./recorded.json', import.meta.url), 'utf8'))
  return kept ?? {}
}

/** The path of an operation as it is sent, with its query. Throws where nothing says what a parameter is. Pure. */
export function examplePath(
  { id, path }: Pick<Operation, 'id' | 'path'>,
  { params = {}, query = {} }: Pick<Example, 'params' | 'query'>,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`${id}: nothing says what {${name}} is.`)
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams(query).toString()
  return search === '' ? filled : `${filled}?${search}`
}
