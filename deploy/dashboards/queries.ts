import { readFileSync } from 'node:fs'
import { parser } from '@prometheus-io/lezer-promql'
import { parse } from 'yaml'
import { z } from 'zod'

/** A query of an alert or of a panel. */
export interface Query {
  of: string
  text: string
}

/** A selector in a query: the name of the series, its labels, and their fixed values. */
export interface Selector {
  metric: string
  labels: readonly string[]
  /** The values of the matchers with `=`, by label. */
  values: Readonly<Record<string, string>>
}

/** Labels that Prometheus or the ServiceMonitor adds to all series. */
const added = new Set(['instance', 'job', 'namespace', 'pod', 'app_kubernetes_io_component'])

/** The text of a file of this folder. */
export const fileOf = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

const rules = z.object({
  spec: z.object({
    groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
  }),
})
const dashboard = z.object({
  panels: z.array(
    z.object({ title: z.string(), targets: z.array(z.object({ refId: z.string(), expr: z.string() })).optional() }),
  ),
})

export function queries(): Query[] {
  const alerts = rules
    .parse(parse(fileOf('assay-rules.yaml')))
    .spec.groups.flatMap((group) => group.rules.map(({ alert, expr }) => ({ of: alert, text: expr })))
  const panels = dashboard
    .parse(JSON.parse(fileOf('assay-dashboard.json')))
    .panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ refId, expr }) => ({ of: `${title} ${refId}`, text: expr })),
    )
  return [...alerts, ...panels]
}

/**
 * The selectors of a query. Each also has the labels that the query groups by. Throws for text that is not PromQL.
 */
export function selectorsOf({ of, text }: Query): Selector[] {
  const found: { metric: string; labels: string[]; values: Record<string, string> }[] = []
  const grouped: string[] = []
  const textAt = ({ from, to }: { from: number; to: number }) => text.slice(from, to)
  parser.parse(text).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`${of} is not PromQL at ${node.from}: ${text}`)
      switch (node.name) {
        case 'VectorSelector':
          found.push({ metric: '', labels: [], values: {} })
          break
        case 'Identifier': {
          const selector = found.at(-1)
          if (node.node.parent?.name === 'VectorSelector' && selector) selector.metric = textAt(node)
          break
        }
        case 'LabelName': {
          if (node.node.parent?.name === 'GroupingLabels') {
            grouped.push(textAt(node))
            break
          }
          const selector = found.at(-1)
          selector?.labels.push(textAt(node))
          const matcher = node.node.parent
          const value = matcher?.getChild('StringLiteral')
          if (
            selector &&
            !added.has(textAt(node)) &&
            matcher?.getChild('MatchOp')?.firstChild?.name === 'EqlSingle' &&
            value
          )
            selector.values[textAt(node)] = textAt(value).slice(1, -1)
          break
        }
        default:
      }
    },
  })
  return found.map(({ metric, labels, values }) => ({
    metric,
    labels: [...labels, ...grouped].filter((label) => !added.has(label)),
    values,
  }))
}

interface Series {
  metric: string
  labels: ReadonlyMap<string, string>
}

/** The series of a page in the text format of Prometheus. */
export function seriesOf(page: string): Series[] {
  return page.split('\n').flatMap((line) => {
    const [, metric = '', labels = ''] = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? \S+$/.exec(line) ?? []
    if (metric === '') return []
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
      ([, name = '', value = '']) => [name, value] as const,
    )
    return [{ metric, labels: new Map(pairs) }]
  })
}

/** A sentence for each query whose series is on none of the `pages`, the metrics of all processes. */
export function missingFrom(pages: readonly string[], asked: readonly Query[] = queries()): string[] {
  const series = pages.flatMap(seriesOf)
  return asked.flatMap((query) =>
    selectorsOf(query)
      .filter(
        ({ metric, labels, values }) =>
          !series.some(
            (each) =>
              each.metric === metric &&
              labels.every((label) => each.labels.has(label)) &&
              Object.entries(values).every(([label, value]) => each.labels.get(label) === value),
          ),
      )
      .map(({ metric, labels }) => `${query.of} selects ${metric}{${labels.join(',')}}, which no process reports.`),
  )
}
