import { didYouMean } from '@assay/contracts'
import type { z } from 'zod'
import { AssayError } from './errors.ts'

/**
 * Takes the administrator's pair out of an environment once it has been read: what the process starts later, and whoever prints
 * its environment, does not get it.
 */
export function forgetSecrets(env: Record<string, string | undefined>): void {
  delete env.ASSAY_ADMIN_ACCESS_KEY
  delete env.ASSAY_ADMIN_SECRET_KEY
}

/**
 * Reads the environment by a schema. Throws `invalid` with one line per bad variable, all of them at once; a variable
 * that begins with `ASSAY_` and that the schema does not know is bad too, because it is a slip of the pen.
 */
export function loadConfig<T extends z.ZodType>(
  schema: T,
  known: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): z.output<T> {
  // An empty variable is an unset one: compose files and charts write `NAME=` for what is not given.
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => known.includes(name) && value !== undefined && value !== ''),
  )
  const parsed = schema.safeParse(given)
  const problems = Object.keys(env)
    .filter((name) => name.startsWith('ASSAY_') && !known.includes(name))
    .map((name) => `${name} is not known${didYouMean(name, known) || '.'}`)
  if (!parsed.success)
    problems.push(
      ...parsed.error.issues.map(
        ({ path, message }) => `${path.join('.')} ${message}${message.endsWith('?') ? '' : '.'}`,
      ),
    )
  if (problems.length > 0 || !parsed.success) throw new AssayError('invalid', problems.join('\n'))
  return parsed.data
}
