import { readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'

export const chartDir = new URL('./assay/', import.meta.url)
export const textOf = (path: string) => readFileSync(new URL(path, chartDir), 'utf8')

const named = (folder: string, end: string) =>
  readdirSync(new URL(folder, chartDir)).map((file) => file.slice(0, -end.length))

/** The value sets that tests render, by name: the examples, and the values for test clusters. */
export const valueSets: ReadonlyMap<string, string> = new Map([
  ...named('profiles/', '.yaml').map((name): [string, string] => [name, `profiles/${name}.yaml`]),
  ...named('ci/', '-values.yaml').map((name): [string, string] => [`ci-${name}`, `ci/${name}-values.yaml`]),
])

const settings = z.looseObject({
  properties: z.looseObject({ settings: z.looseObject({ properties: z.record(z.string(), z.unknown()) }) }),
})
const schema = z.looseObject({
  properties: z.looseObject({
    embedded: settings,
    services: z.looseObject({ properties: z.record(z.string(), settings) }),
  }),
})

/** Names of the variables that `settings` may set, for each service and `standalone`. */
export function settableBySettings(): Map<string, string[]> {
  const { embedded, services } = schema.parse(JSON.parse(textOf('values.schema.json'))).properties
  const named = { ...services.properties, standalone: embedded }
  return new Map(
    Object.entries(named).map(([service, values]) => [service, Object.keys(values.properties.settings.properties)]),
  )
}

/** Names of all variables in the block `assay.env.<service>` and in the blocks that it includes. */
export function templatedVariables(service: string): string[] {
  const blocks = new Map(
    textOf('templates/_environment.tpl')
      .split(/\{\{-? define /)
      .slice(1)
      .map((text) => [/^"([^"]+)"/.exec(text)?.[1] ?? '', text]),
  )
  const namesIn = (block: string): string[] => {
    const text = blocks.get(block)
    if (text === undefined) throw new Error(`_environment.tpl has no block ${block}.`)
    const own = [...text.matchAll(/^- name: ([A-Z_]\w*)$/gm)].map(([, name]) => name ?? '')
    const included = [...text.matchAll(/include "(assay\.env\.[a-z-]+)"/g)].map(([, name]) => name ?? '')
    return [...own, ...included.flatMap(namesIn)]
  }
  return namesIn(`assay.env.${service}`)
}
