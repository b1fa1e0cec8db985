import type { z } from 'zod'

interface Rule {
  variable: string
  value: string
  /** Continues the name of the variable. */
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
  {
    variable: 'ASSAY_ARTIFACTS',
    value: 's3',
    refusal:
      'cannot be s3 in this version: give filesystem, with ASSAY_RESULTS_DIR on a volume that all replicas mount',
  },
]

const needed: readonly Need[] = [
  { variable: 'ASSAY_EVENT_STORE', value: 'eventstoredb', needs: 'ASSAY_EVENTSTOREDB_URL' },
  { variable: 'ASSAY_DOCUMENTS', value: 'mongodb', needs: 'ASSAY_MONGODB_URL' },
  { variable: 'ASSAY_BUS', value: 'kafka', needs: 'ASSAY_KAFKA_BROKERS' },
  { variable: 'ASSAY_ARTIFACTS', value: 'filesystem', needs: 'ASSAY_RESULTS_DIR' },
]

/**
 * For `superRefine` of a service's configuration: refuses what only one process can use, and asks for the address of
 * what was chosen. Looks at the variables that the configuration has.
 */
export function distributed(value: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  const problem = (variable: string, message: string) => context.addIssue({ code: 'custom', path: [variable], message })
  for (const rule of refused) if (value[rule.variable] === rule.value) problem(rule.variable, rule.refusal)
  for (const need of needed) {
    if (value[need.variable] === need.value && value[need.needs] === undefined)
      problem(need.needs, `is needed, because ${need.variable} is ${need.value}`)
  }
  const { ASSAY_KAFKA_SASL: sasl, ASSAY_KAFKA_USERNAME: user, ASSAY_KAFKA_PASSWORD: password } = value
  const given = [sasl, user, password].filter((each) => each !== undefined).length
  if (given > 0 && given < 3)
    problem('ASSAY_KAFKA_SASL', 'needs ASSAY_KAFKA_USERNAME and ASSAY_KAFKA_PASSWORD: all three are given, or none')
}
