import { readFileSync, writeFileSync } from 'node:fs'
import { withSettings } from './chart-settings.ts'
import { withTable } from './table.ts'

// Updates what derives from the configurations of the services: a table of docs/operations.md and the settings that the
// chart allows.
const change = (path: string, into: (text: string) => string) => {
  const url = new URL(`../../${path}`, import.meta.url)
  writeFileSync(url, into(readFileSync(url, 'utf8')))
}
change('docs/operations.md', withTable)
change('deploy/helm/assay/values.schema.json', withSettings)
