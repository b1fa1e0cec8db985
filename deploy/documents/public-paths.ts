import { operations } from '../../packages/contracts/src/index.ts'

/**
 * Paths of the gateway that are not operations. `/metrics`, `/healthz` and `/readyz` are not included, because only the
 * cluster may read them.
 */
const documentation = ['/docs', '/openapi.json', '/asyncapi.json']

/** The paths that a proxy in front of the gateway must forward, with everything below: the prefixes of all operations. */
export const publicPaths: readonly string[] = [
  ...new Set(operations.map(({ path }) => `/${path.split('/')[1]}`)),
  ...documentation,
].toSorted()

const begin = '<!-- Paths, written by `npm run documents`. -->'
const end = '<!-- End of the paths. -->'

/** `document` with the paths between the two markers. Throws if the markers are missing. */
export function withPaths(document: string): string {
  const [before, rest] = document.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error(`docs/operations.md lacks the lines "${begin}" and "${end}".`)
  const list = publicPaths.map((path) => `- \`${path}\``).join('\n')
  return `${before}${begin}\n\n${list}\n\n${end}${after}`
}

/** The template of the chart with the paths as JSON. */
export const pathsOfChart = () => `{{/* Written by \`npm run documents\` from the table of operations. */}}
{{- define "assay.paths" -}}
${JSON.stringify(publicPaths)}
{{- end -}}
`
