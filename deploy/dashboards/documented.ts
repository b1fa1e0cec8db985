import { readFileSync } from 'node:fs'
import { seriesOf } from './queries.ts'

interface Documented {
  type: string
  labels: readonly string[]
}

/** The table of metrics in docs/operations.md. */
function documented(): Map<string, Documented> {
  const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const rows = text.matchAll(/^\| `(assay_\w+)` \| (\w+) \|([^|]*)\|/gm)
  return new Map(
    [...rows].map(([, name = '', type = '', labels = '']) => [
      name,
      { type, labels: labels.split(',').flatMap((label) => label.trim() || []) },
    ]),
  )
}

/** A sentence for each metric of `pages` that the docs lack, or describe with another type or other labels. */
export function undocumented(pages: readonly string[]): string[] {
  const known = documented()
  const series = pages.flatMap(seriesOf)
  const types = new Map(
    pages.flatMap((page) =>
      [...page.matchAll(/^# TYPE (assay_\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type] as const),
    ),
  )
  return [...types].flatMap(([name, type]) => {
    const row = known.get(name)
    if (row?.type !== type) return [`${name} is a ${type}, but not in docs/operations.md.`]
    const seen = series.find(({ metric }) => metric === name || metric === `${name}_bucket`)
    const labels = [...(seen?.labels.keys() ?? [])].filter((label) => label !== 'le')
    const isRight = seen === undefined || labels.toSorted().join() === row.labels.toSorted().join()
    return isRight ? [] : [`${name} has the labels ${labels.join(', ')}, which docs/operations.md does not say.`]
  })
}

/** Documented metrics that no page has. */
export function unreported(pages: readonly string[]): string[] {
  return [...documented().keys()].filter((name) => !pages.some((page) => page.includes(`# TYPE ${name} `)))
}
