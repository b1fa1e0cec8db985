import { type EventType, publicEventTypes, recordedEvents } from '@assay/contracts'

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => escapes[character] ?? character)

export const eventsStyle = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1f2933 }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #cbd2d9 }
h3 { font: 600 1rem ui-monospace, monospace; margin: 1.5rem 0 0.25rem }
p { margin: 0.25rem 0 }
pre { background: #f5f7fa; padding: 0.75rem; overflow-x: auto; font-size: 0.8rem }
a { color: #1a56db }
@media (prefers-color-scheme: dark) {
  body { background: #14181d; color: #e4e7eb } h2 { border-color: #3e4c59 } pre { background: #1f2933 } a { color: #8ab4f8 }
}
`

function typeText(full: string, name: string, { entity, summary }: EventType, example: unknown): string {
  const shown =
    example === undefined
      ? ''
      : `<details><summary>Example of a run</summary><pre>${escaped(JSON.stringify(example, null, 2))}</pre></details>`
  return `<h3 id="${name}"><a href="#${name}">${full}</a></h3>
<p>${escaped(summary)} Subject: <code>${entity}/&lt;id&gt;</code>.</p>
${shown}`
}

/** The page at `/docs/events`: every type of public event, with an example of a real run. */
export function eventsPage(): string {
  const examples = recordedEvents()
  const topics = publicEventTypes.map(({ topic, service, types }) => {
    const all = Object.entries(types).map(([name, type]) => {
      const full = `io.assay.${service}.${name}`
      return typeText(full, name, type, examples[full])
    })
    return `<h2 id="${topic}">${topic}</h2>\n${all.join('\n')}`
  })
  const contents = publicEventTypes.map(({ topic }) => `<li><a href="#${topic}">${topic}</a></li>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Assay events</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/events.css">
</head>
<body>
<h1>Assay events</h1>
<p>Every change is published as a CloudEvent 1.0: on Kafka, in the topics below, and over HTTP, as server-sent events of
<code>GET /catalog-server/api/events</code>. The schemas of all types are in <a href="/asyncapi.json">/asyncapi.json</a> (AsyncAPI 3). The operations are
at <a href="/docs">/docs</a>.</p>
<ul>
${contents.join('\n')}
</ul>
${topics.join('\n')}
</body>
</html>
`
}
