import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { internalTopics, publicTopics } from '../../packages/contracts/src/index.ts'
import { services } from '../native/topology.ts'
import { offered } from '../variables/chart-settings.ts'
import { settableBySettings, templatedVariables, textOf } from './chart.ts'

describe.each(Object.entries(offered))('given the environment of %s in the chart', (service, known) => {
  const templated = templatedVariables(service)
  const bySettings = settableBySettings().get(service) ?? []

  test('then every variable of its configuration can be set, and no other', () => {
    expect([...templated, ...bySettings].toSorted()).toEqual(known.toSorted())
  })

  test('then the default values set only variables that settings allow', () => {
    const values = parse(textOf('values.yaml'))
    const given = service === 'standalone' ? values.embedded : values.services[service]
    expect(Object.keys(given.settings).filter((name) => !bySettings.includes(name))).toEqual([])
  })
})

describe('given the chart as a whole', () => {
  test('then the docs describe the metric with which execution is scaled', () => {
    const [, metric, label] =
      /valueLocation: '(\w+)\{(\w+)="waiting"\}'/.exec(textOf('templates/autoscaling.yaml')) ?? []
    const docs = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
    expect(docs).toContain(`| \`${metric}\` | gauge | ${label} |`)
  })

  test('then it has the version of the product', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(parse(textOf('Chart.yaml'))).toMatchObject({ version, appVersion: version })
  })

  test('then it reads the lag of all groups and topics of the services', () => {
    const [, text = ''] =
      /define "assay\.follows" -\}\}([\s\S]*?)\{\{- end/.exec(textOf('templates/_helpers.tpl')) ?? []
    const read = z.record(z.string(), z.record(z.string(), z.array(z.string()))).parse(JSON.parse(text))
    expect(Object.keys(read).toSorted()).toEqual([...services].toSorted())
    for (const service of services) expect({ [service]: read[service] }).toEqual({ [service]: followedBy(service) })
  })

  test('then the Kafka permissions in its docs cover those topics', () => {
    const rows = textOf('README.md').matchAll(/^\| (\w+) \| `assay_\w+` \| [^|]* \| ([^|]*) \|/gm)
    const named = Object.fromEntries([...rows].map(([, service = '', cell = '']) => [service, topicsNamed(cell)]))
    expect(named).toEqual(
      Object.fromEntries(
        services.map((service) => [service, [...new Set(Object.values(followedBy(service)).flat())].toSorted()]),
      ),
    )
  })
})

/**
 * The topics in a cell of README.md: internal topics by the end of their names; `public topics` means all public ones.
 */
const topicsNamed = (cell: string) =>
  [
    ...[...cell.matchAll(/`([a-z-]+)`/g)].map(([, name]) => `assay.internal.${name}`),
    ...(cell.includes('public topics') ? Object.values(publicTopics) : []),
  ].toSorted()

/** The text between `const <name>` and the next empty line; '' if there is none. */
const declared = (source: string, name: string) =>
  new RegExp(`^(?:export )?const ${name}\\b[\\s\\S]*?(?=\\n\\n)`, 'm').exec(source)?.[0] ?? ''

const topicNames = new Map<string, string>([
  ...Object.entries(publicTopics).map(([key, name]) => [`publicTopics.${key}`, name] as const),
  ...Object.entries(internalTopics).map(([key, name]) => [`internalTopics.${key}`, name] as const),
])
function topicsIn(text: string): string[] {
  if (text.includes('Object.values(publicTopics)')) return Object.values(publicTopics)
  return [...text.matchAll(/(?:public|internal)Topics\.\w+/g)].map(([name]) => topicNames.get(name) ?? name)
}

/** The topics in a service's declaration of local read models. */
const topicsKept = (source: string) =>
  [...source.matchAll(/^ {2}(\w+): \{ collections: /gm)].flatMap(
    ([, name]) => topicNames.get(`internalTopics.${name}`) ?? [],
  )

/** The groups with which a service subscribes, each with its topics, found in the service's source files. */
function followedBy(service: string): Record<string, string[]> {
  const folder = new URL(`../../services/${service}/src/`, import.meta.url)
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const kept = (path: string) => topicsKept(readFileSync(new URL(path, folder), 'utf8'))
  const declaration = paths.find((path) => path.endsWith('copies.ts') && kept(path).length > 0)
  const found = paths
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
    .flatMap((path) => {
      const source = readFileSync(new URL(path, folder), 'utf8')
      return [...source.matchAll(/bus\.subscribe\(\{([\s\S]*?)handle/g)].map(([, options = '']): [string, string[]] => {
        const [, literal, name = ''] = /group: (?:'([\w-]+)'|(\w+))/.exec(options) ?? []
        const [, used = 'topics'] = /topics: \[\.\.\.(\w+)/.exec(options) ?? []
        const copies = /topicsOf\(|\.\.\.topics\b/.test(options) && declaration ? kept(declaration) : []
        const here = [...copies, ...topicsIn(options)]
        return [
          literal ?? /'([\w-]+)'/.exec(declared(source, name))?.[1] ?? `a group in ${path}`,
          here.length > 0 ? here : topicsIn(declared(source, used)),
        ]
      })
    })
  return Object.fromEntries(found)
}
