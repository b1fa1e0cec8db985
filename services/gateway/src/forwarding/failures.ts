import { AssayError, isAssayError } from '@assay/service-kit/errors'

/** Errors from before anything was sent: the request has had no effect. */
const notSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
])
const tooSlow = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Whether the connection broke before the answer: it may have been closed just as the request was written. */
export function isBroken(error: unknown): boolean {
  return !isAssayError(error) && !notSent.has(codeOf(error)) && !tooSlow.has(codeOf(error))
}

/** The caller's answer: 503 if nothing was sent, 504 if no answer arrived in time, 502 if the connection broke. */
export function failureOf(error: unknown, service: string, isWrite: boolean): AssayError {
  if (isAssayError(error)) return error
  const code = codeOf(error)
  const options = { cause: error }
  if (notSent.has(code))
    return new AssayError('unavailable', `The ${service} service cannot be reached. Try again in a moment.`, options)
  const doubt = isWrite ? ' It is unknown whether the write took effect: check before you send it again.' : ''
  if (tooSlow.has(code))
    return new AssayError('timeout', `The ${service} service did not answer in time.${doubt}`, options)
  return new AssayError('bad-gateway', `The connection to the ${service} service broke.${doubt}`, options)
}
