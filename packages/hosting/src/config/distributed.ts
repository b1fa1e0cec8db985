import type { z } from 'zod'

interface Rule {
  variable: string
  value: string
  /** The part of the message after the name of the variable. */
  refusal: string
}

interface Need {
  variable: string
  value: string
  needs: string
}

const oneProcess = (what: string, instead: string) =>
  `must be ${instead} in a service: ${what} belongs to one process, and replicas would not see each other's`

const refused: readonly Rule[] = [
  { variable: 'ASSAY_EVENT_STORE', value: 'sqlite', refusal: oneProcess('a sqlite log', 'eventstoredb') },
  { variable: 'ASSAY_DOCUMENTS', value: 'sqlite', refusal: oneProcess('a sqlite file', 'mongodb') },
  { variable: 'ASSAY_BUS', value: 'embedded', refusal: oneProcess('the embedded bus', 'kafka') },
]

const needed: readonly Need[] = [
  { variable: 'ASSAY_EVENT_STORE', value: 'eventstoredb', needs: 'ASSAY_EVENTSTOREDB_URL' },
  { variable: 'ASSAY_DOCUMENTS', value: 'mongodb', needs: 'ASSAY_MONGODB_URL' },
  { variable: 'ASSAY_BUS', value: 'kafka', needs: 'ASSAY_KAFKA_BROKERS' },
  { variable: 'ASSAY_ARTIFACTS', value: 's3', needs: 'ASSAY_S3_BUCKET' },
]
const neededByService: Need = { variable: 'ASSAY_ARTIFACTS', value: 'filesystem', needs: 'ASSAY_RESULTS_DIR' }

function askFor(needs: readonly Need[], value: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  for (const need of needs) {
    if (value[need.variable] === need.value && value[need.needs] === undefined) {
      const message = `is needed, because ${need.variable} is ${need.value}`
      context.addIssue({ code: 'custom', path: [need.needs], message })
    }
  }
}

/**
 * A `superRefine` for any configuration: requires the addresses of the chosen adapters, and complete credentials.
 * Checks only variables that the configuration has.
 */
export function addressed(value: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  askFor(needed, value, context)
  const problem = (variable: string, message: string) => context.addIssue({ code: 'custom', path: [variable], message })
  const given = (names: readonly string[]) => names.filter((name) => value[name] !== undefined).length
  const sasl = given(['ASSAY_KAFKA_SASL', 'ASSAY_KAFKA_USERNAME', 'ASSAY_KAFKA_PASSWORD'])
  if (sasl > 0 && sasl < 3)
    problem('ASSAY_KAFKA_SASL', 'needs ASSAY_KAFKA_USERNAME and ASSAY_KAFKA_PASSWORD: all three are given, or none')
  if (given(['ASSAY_S3_ACCESS_KEY_ID', 'ASSAY_S3_SECRET_ACCESS_KEY']) === 1)
    problem('ASSAY_S3_ACCESS_KEY_ID', 'needs ASSAY_S3_SECRET_ACCESS_KEY: both are given, or none')
}

/**
 * A `superRefine` for a service's configuration. Like `addressed`, and also refuses adapters that only one process can
 * use.
 */
export function distributed(value: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  for (const { variable, value: unfit, refusal } of refused)
    if (value[variable] === unfit) context.addIssue({ code: 'custom', path: [variable], message: refusal })
  askFor([neededByService], value, context)
  addressed(value, context)
}
