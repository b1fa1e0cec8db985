import { readFileSync } from 'node:fs'
import { apiPage, asyncApiDocument } from '../../packages/contracts/src/index.ts'
import { pathsOfChart, withPaths } from './public-paths.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** The documents generated from the contracts, by path. */
export const documents: Readonly<Record<string, () => string>> = {
  'docs/api.md': () => apiPage(),
  'docs/operations.md': () => withPaths(readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')),
  'deploy/helm/assay/templates/_paths.tpl': pathsOfChart,
  'docs/asyncapi.json': () => `${JSON.stringify(asyncApiDocument(version), null, 2)}\n`,
}
