import { forgetSecrets, loadConfig, messageOf } from '@assay/service-kit'
import type { z } from 'zod'

/** Exit code of an invalid configuration (sysexits: EX_CONFIG). */
const badConfiguration = 78

/** Parses the environment. If it is invalid, prints all faults and ends the process with exit code 78. */
export function readConfig<T extends z.ZodRawShape>(schema: z.ZodObject<T>): z.output<z.ZodObject<T>> {
  try {
    const config = loadConfig(schema, Object.keys(schema.shape), process.env)
    forgetSecrets(process.env)
    return config
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`)
    return process.exit(badConfiguration)
  }
}
