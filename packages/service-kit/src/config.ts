import { asSentence, didYouMean } from '@assay/contracts'
import type { z } from 'zod'
import { AssayError } from './errors.ts'

/**
 * Removes the administrator's key pair from the environment. Call it after the key pair was read, so that child
 * processes and printed environments do not contain it.
 */
export function forgetSecrets(env: Record<string, string | undefined>): void {
  delete env.ASSAY_ADMIN_ACCESS_KEY
  delete env.ASSAY_ADMIN_SECRET_KEY
}

/**
 * `; did you mean …?` with a similar variable. Tries the name without its prefix first, because some variables, such as
 * PORT, have none.
 */
function suggestion(name: string, known: readonly string[]): string {
  const bare = name.slice('ASSAY_'.length)
  return known.includes(bare) ? `; did you mean '${bare}'?` : didYouMean(name, known)
}

/**
 * Parses the environment with a schema. Throws `invalid` with one line for each bad variable. An unknown variable that
 * begins with `ASSAY_` is also bad, because it is probably a typo.
 */
export function loadConfig<T extends z.ZodType>(
  schema: T,
  known: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): z.output<T> {
  // An empty variable counts as unset: compose files and charts write `NAME=` for missing values.
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => known.includes(name) && value !== undefined && value !== ''),
  )
  const parsed = schema.safeParse(given)
  const problems = Object.keys(env)
    .filter((name) => name.startsWith('ASSAY_') && !known.includes(name))
    .map((name) => `${name} is not known${suggestion(name, known) || '.'}`)
  if (!parsed.success)
    problems.push(...parsed.error.issues.map(({ path, message }) => asSentence(`${path.join('.')} ${message}`)))
  if (problems.length > 0 || !parsed.success) throw new AssayError('invalid', problems.join('\n'))
  return parsed.data
}
