import { readFileSync } from 'node:fs'
import type { Operation } from '../operations/operation.ts'
import type { CloudEvent } from '../topics/messages.ts'

/** A request and its answer. Parts that the operation lacks are absent. */
export interface Example {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  answer?: unknown
  /** The refusal, for an operation that never succeeds in this version. */
  refused?: { status: number; answer: unknown }
}

let cached: Readonly<Record<string, Example>> | undefined

/**
 * An example per operation id, recorded by `npm run documents:examples` from a run on published data. Times, keys and
 * random ids are stable, and lists have at most three elements. Loaded on first use, because only documents need the
 * examples.
 */
export function recordedExamples(): Readonly<Record<string, Example>> {
  cached ??= JSON.parse(readFileSync(new URL('./recorded.json', import.meta.url), 'utf8'))
  return cached ?? {}
}

let cachedEvents: Readonly<Record<string, CloudEvent>> | undefined

/**
 * An event per type, recorded in the same run as the examples of operations. Types of events that this run does not
 * cause are absent.
 */
export function recordedEvents(): Readonly<Record<string, CloudEvent>> {
  cachedEvents ??= JSON.parse(readFileSync(new URL('./events.json', import.meta.url), 'utf8'))
  return cachedEvents ?? {}
}

/** The path with its parameters and query filled in. Throws if a parameter has no value. Pure. */
export function examplePath(
  { id, path }: Pick<Operation, 'id' | 'path'>,
  { params = {}, query = {} }: Pick<Example, 'params' | 'query'>,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`${id}: no value for the parameter {${name}}.`)
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams(query).toString()
  return search === '' ? filled : `${filled}?${search}`
}
