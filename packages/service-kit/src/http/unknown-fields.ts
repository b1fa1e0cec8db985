import type { IncomingMessage, ServerResponse } from 'node:http'
import { type UnknownField, unknownFieldSentence, unknownFields } from '@assay/contracts'
import type { z } from 'zod'
import { AssayError } from '../errors.ts'

/** Paths of request fields that were ignored. */
export const ignoredHeader = 'x-assay-ignored'
const maxPaths = 20
const maxPathLength = 200

/** RFC 7240: `Prefer: handling=strict`. */
function prefersStrict({ headers }: IncomingMessage): boolean {
  const { prefer } = headers
  if (prefer === undefined) return false
  const preferences = (Array.isArray(prefer) ? prefer.join(',') : prefer).split(',')
  return preferences.some((each) => /^\s*handling\s*=\s*"?strict"?\s*(;|$)/i.test(each))
}

/** A path for a header: visible ASCII without commas, which separate paths. Everything else is percent-encoded. */
function encoded(path: string): string {
  const short = path.length > maxPathLength ? `${path.slice(0, maxPathLength)}...` : path
  return short.toWellFormed().replace(/[^!-+\--~]|%/gu, encodeURIComponent)
}

function refusal(fields: readonly UnknownField[]): AssayError {
  return new AssayError('invalid', fields.map(unknownFieldSentence).join(' '), {
    details: { fields: fields.map(({ path }) => path) },
  })
}

/** The ignored fields of one request. They are listed in a header, or refused if the caller prefers that. */
export class IgnoredFields {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #paths: string[] = []

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#request = request
    this.#response = response
  }

  /**
   * Throws `invalid` for misspelled fields. Also throws it for unknown fields in strict objects, or if the caller is
   * strict.
   */
  check(schema: z.ZodType, value: unknown): void {
    const { refused, ignored } = unknownFields(schema, value)
    if (refused.length === 0 && ignored.length === 0) return
    const unwanted = prefersStrict(this.#request) ? [...refused, ...ignored] : refused
    if (unwanted.length > 0) throw refusal(unwanted)
    this.#note(ignored.map(({ path }) => path))
  }

  /** Throws `invalid` for strict callers. */
  ignore(path: string, why: string): void {
    if (prefersStrict(this.#request))
      throw new AssayError('invalid', `${path}: ${why}`, { details: { fields: [path] } })
    this.#note([path])
  }

  #note(paths: readonly string[]): void {
    this.#paths.push(...paths.slice(0, maxPaths - this.#paths.length))
    this.#response.setHeader(ignoredHeader, this.#paths.map(encoded).join(','))
  }
}
