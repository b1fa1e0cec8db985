import { readFileSync } from 'node:fs'
import { apiPage, asyncApiDocument } from '../../packages/contracts/src/index.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** What is made from the contracts, by its path. */
export const documents: Readonly<Record<string, () => string>> = {
  'docs/api.md': () => apiPage(),
  'docs/asyncapi.json': () => `${JSON.stringify(asyncApiDocument(version), null, 2)}\n`,
}
