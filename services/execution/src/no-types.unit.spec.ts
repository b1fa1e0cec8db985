import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { measurementTypes, policyTypes } from '@assay/contracts'
import { expect, it } from 'vitest'

/** Files of this service, except specs, that match the pattern. */
async function naming(pattern: RegExp): Promise<string[]> {
  const found: string[] = []
  for await (const path of glob('**/*.ts', { cwd: import.meta.dirname })) {
    if (/\.spec\.ts$|^testing/.test(path)) continue
    if (pattern.test(await readFile(join(import.meta.dirname, path), 'utf8'))) found.push(path)
  }
  return found
}

/** As a literal, a member or a key. */
const anyOf = (words: readonly string[]) =>
  new RegExp(`['"\`.](${words.join('|')})\\b|^\\s*(${words.join('|')})['"]?:`, 'm')

it('given the sources of this service, then only routes name a type of policies', async () => {
  const others = (await naming(anyOf(policyTypes))).filter((path) => !path.endsWith('routes.ts'))
  expect(others).toEqual([])
})

it('given the sources of this service, then none names a kind of items', async () => {
  expect(await naming(anyOf(measurementTypes))).toEqual([])
})

it('given the sources of this service, then none judges items or scores, which is the task of kinds', async () => {
  expect(await naming(/\b(judgeItem|scorePolicy|measurementType|weightage)\b/)).toEqual([])
})
