import { randomBytes } from 'node:crypto'
import type { Binding, Fragment } from './fragment.ts'
import { textLiteral } from './quote.ts'
import type { Parameters } from './written.ts'

/** A value as SQL that all databases read alike. */
export const plainLiteral = (value: Binding): string => (typeof value === 'string' ? textLiteral(value) : String(value))

/**
 * Puts the values of parameters into a text, because a part of FROM has no parameters of its own. The names of the
 * parameters are random, so they cannot occur in the text, and only parameters are replaced.
 */
export function createInlining(
  startedAt: string,
  literal: (value: Binding) => string = plainLiteral,
): { parameters: Parameters; inlined: (fragment: Fragment) => string } {
  const prefix = `assay_${randomBytes(12).toString('hex')}_`
  let last = 0
  const next = () => {
    last += 1
    return `${prefix}${last}`
  }
  return {
    parameters: { next, startedAt },
    inlined: ({ text, bindings }) =>
      text.replaceAll(new RegExp(`\\$(${prefix}\\d+)`, 'g'), (_, name: string) => literal(bindings[name] ?? '')),
  }
}
