/** How an attempt to send a message ended. */
export interface AttemptResult {
  delivered: boolean
  /** Status of the receiver's answer; null without an answer. */
  status: number | null
  /** A sentence for people; null if it was delivered. Never contains text that the receiver sent. */
  error: string | null
  latencyMs: number
  /** The receiver wants no more messages. */
  isGone: boolean
  /** A retry would fail again. */
  isFinal: boolean
  /** The receiver asks to send nothing before this time (epoch milliseconds). */
  holdUntil: number | null
  /** The addresses that took the message, although the mail server refused others. */
  taken?: readonly string[]
}

export const delivered = (status: number, latencyMs: number): AttemptResult => ({
  ...{ delivered: true, status, error: null, latencyMs },
  ...{ isGone: false, isFinal: false, holdUntil: null },
})

export function failed(
  error: string,
  latencyMs: number,
  about: Partial<Pick<AttemptResult, 'status' | 'isGone' | 'isFinal' | 'holdUntil' | 'taken'>> = {},
): AttemptResult {
  const plain = { status: null, isGone: false, isFinal: false, holdUntil: null }
  return { delivered: false, error, latencyMs, ...plain, ...about }
}

/** Maximum time of an attempt in milliseconds, unless the caller has less. */
export const attemptMs = 10_000

/** Says that there was no answer in time. */
export const late = (who: string, withinMs: number): string =>
  `${who} did not answer within ${withinMs / 1_000} seconds.`
