import { z } from 'zod'
import { artifactVariables, busVariables, storeVariables } from '../../packages/hosting/src/config/variables.ts'
import { standaloneConfig } from '../../services/standalone/src/config.ts'
import { templatedVariables } from '../helm/chart.ts'
import { configurations } from '../native/configurations.ts'

/** Variables of servers, which the embedded profile of the chart does not offer. */
const ofServers = new Set(Object.keys({ ...storeVariables, ...busVariables, ...artifactVariables }))
/** Secrets must not be settings, because everybody may read settings. */
const isSecret = (name: string) => /PASSWORD|SECRET|ACCESS_KEY|API_KEY|(MONGODB|EVENTSTOREDB|SMTP)_URL$/.test(name)

const shapes: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    Object.entries(configurations).map(([service, config]) => [service, Object.keys(config.shape)]),
  ),
  standalone: Object.keys(standaloneConfig.shape).filter(
    (name) => name === 'ASSAY_RESULTS_DIR' || !ofServers.has(name),
  ),
}

/** All variables that the chart must offer, by service. */
export const offered = shapes

/** The variables of a configuration that no template sets, so `settings` must allow them. */
export function settingsOf(service: string): string[] {
  const templated = templatedVariables(service)
  const left = (shapes[service] ?? []).filter((name) => !templated.includes(name)).toSorted()
  const secret = left.find(isSecret)
  if (secret !== undefined)
    throw new Error(`${secret} is a secret: templates/_environment.tpl must take it from a Secret.`)
  return left
}

const values = z.looseObject({ properties: z.looseObject({ settings: z.looseObject({ properties: z.unknown() }) }) })
const schemaShape = z.looseObject({
  properties: z.looseObject({
    embedded: values,
    services: z.looseObject({ properties: z.record(z.string(), values) }),
  }),
})

/** The text of values.schema.json with the settings of each service updated from its configuration. */
export function withSettings(text: string): string {
  const schema = schemaShape.parse(JSON.parse(text))
  const { embedded, services } = schema.properties
  for (const [service, each] of Object.entries({ ...services.properties, standalone: embedded }))
    each.properties.settings.properties = Object.fromEntries(
      settingsOf(service).map((name) => [name, { type: 'string' }]),
    )
  return `${JSON.stringify(schema, null, 2)}\n`
}
