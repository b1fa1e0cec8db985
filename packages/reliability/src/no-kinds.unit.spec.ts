import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { measurementTypes, policyTypes } from '@assay/contracts'
import { expect, it } from 'vitest'

/** The only files that may name kinds of items and of policies. CUSTOM is also a score strategy. */
const named = [
  {
    words: measurementTypes.filter((type) => type !== 'CUSTOM'),
    where: /^measurements\/|^comparison\/measures\/table/,
  },
  { words: policyTypes, where: /^kinds\/kind-of\.ts$|^comparison\/measures\/table\.ts$/ },
]

it.each(named)('given the sources of this package, then only files in $where name $words', async ({ words, where }) => {
  const pattern = new RegExp(`['"\`.](${words.join('|')})\\b|^\\s*(${words.join('|')}):`, 'm')
  const naming: string[] = []
  for await (const path of glob('**/*.ts', { cwd: import.meta.dirname })) {
    if (/\.spec\.ts$|-fixture\.ts$/.test(path) || where.test(path)) continue
    if (pattern.test(await readFile(join(import.meta.dirname, path), 'utf8'))) naming.push(path)
  }
  expect(naming).toEqual([])
})
