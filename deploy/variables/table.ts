import type { z } from 'zod'
import { standaloneConfig } from '../../services/standalone/src/config.ts'
import { configurations } from '../native/configurations.ts'
import { meanings } from './meanings.ts'

type Shape = Readonly<Record<string, z.ZodType>>

const shapes: [string, Shape][] = [
  ...Object.entries(configurations).map(([service, config]): [string, Shape] => [service, config.shape]),
  ['standalone', standaloneConfig.shape],
]

/** The default of a variable as text; `needed` if it has none and is required; empty if it is optional. */
function defaultOf(type: z.ZodType): string {
  if (!type.safeParse(undefined).success) return 'needed'
  // The value for an undefined variable is its default: text or a number.
  const read = type.parse(undefined)
  return typeof read === 'string' || typeof read === 'number' ? String(read) : ''
}

const all = shapes.map(([service]) => service)
const services = all.filter((service) => service !== 'standalone')

function readersOf(having: readonly string[]): string {
  if (having.length === all.length) return 'all'
  if (services.every((service) => having.includes(service)) && having.length === services.length) return 'services'
  const [missing, ...more] = all.filter((service) => !having.includes(service))
  return missing !== undefined && more.length === 0 ? `all but ${missing}` : having.join(', ')
}

/** A Markdown table of all variables: name, default (where it differs, by process), processes, meaning. */
export function variablesTable(): string {
  const names = [...new Set(shapes.flatMap(([, shape]) => Object.keys(shape)))].toSorted()
  const rows = names.map((name) => {
    const having = shapes.flatMap(([service, shape]) => {
      const type = shape[name]
      return type === undefined ? [] : [{ service, fallback: defaultOf(type) }]
    })
    const [first] = having
    const others = having.filter(({ fallback }) => fallback !== first?.fallback)
    const fallbacks = [
      first?.fallback ?? '',
      ...others.map(({ service, fallback }) => `${service}: ${fallback || 'none'}`),
    ].join('; ')
    const meaning = meanings[name]
    if (meaning === undefined) throw new Error(`deploy/variables/meanings.ts does not say what ${name} is for.`)
    return `| \`${name}\` | ${fallbacks} | ${readersOf(having.map(({ service }) => service))} | ${meaning} |`
  })
  return ['| variable | default | read by | meaning |', '|---|---|---|---|', ...rows].join('\n')
}

const begin = '<!-- Written by `npm run variables`. -->'
const end = '<!-- End of what is written. -->'

/** `document` with the table between the two markers. Throws if the markers are missing. */
export function withTable(document: string): string {
  const [before, rest] = document.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error(`docs/operations.md has lost the lines "${begin}" and "${end}".`)
  return `${before}${begin}\n\n${variablesTable()}\n\n${end}${after}`
}
