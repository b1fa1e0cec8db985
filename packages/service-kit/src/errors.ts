/**
 * The error codes of Assay. Match on `code`, never on text. Adapters translate driver errors to these codes. One mapper
 * turns the codes into the HTTP envelope.
 */
export const statusOfCode = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  taken: 409,
  /** Another writer appended first. The command handler decides again, so callers never see this code. */
  conflict: 409,
  /** It existed, but no longer does. The caller must start over without it. */
  gone: 410,
  'too-large': 413,
  unprocessable: 422,
  'rate-limited': 429,
  internal: 500,
  'not-implemented': 501,
  'bad-gateway': 502,
  unavailable: 503,
  timeout: 504,
  /** The write may or may not have happened: retry with the same ids and the same expected revision. */
  'unknown-outcome': 503,
} as const

export type ErrorCode = keyof typeof statusOfCode

/**
 * A sentence for people, with a code and details for machines. `details` must not contain secrets, SQL text or host
 * paths.
 */
export class AssayError extends Error {
  readonly code: ErrorCode
  readonly details: unknown
  /** For 429 and 503: seconds until a retry makes sense. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; details?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AssayError'
    this.code = code
    this.details = options.details ?? null
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** Whether `error` is an AssayError, with `code` if given. */
export function isAssayError(error: unknown, code?: ErrorCode): error is AssayError {
  return error instanceof AssayError && (code === undefined || error.code === code)
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

const passing: readonly ErrorCode[] = ['unavailable', 'timeout', 'unknown-outcome', 'bad-gateway', 'rate-limited']

/** Whether the cause is external, so that a retry can succeed. Such an error never parks an event or a message. */
export function isTransient(error: unknown): boolean {
  return isAssayError(error) && passing.includes(error.code)
}

const forPeople: readonly ErrorCode[] = ['unprocessable', 'timeout', 'too-large', 'unavailable', 'invalid']

/**
 * The message of an error that may be shown to users, according to its code. It contains no stack and no host path.
 * `undefined` for errors that belong only in the log.
 */
export function failureSentence(error: unknown): string | undefined {
  return isAssayError(error) && forPeople.includes(error.code) && error.message !== '' ? error.message : undefined
}
