import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { policyTypes } from '@assay/contracts'
import { expect, it } from 'vitest'

it('given the sources of this service, then only routes name a type of policies', async () => {
  const naming: string[] = []
  for await (const path of glob('**/*.ts', { cwd: import.meta.dirname })) {
    if (/\.spec\.ts$|^testing|routes\.ts$/.test(path)) continue
    const text = await readFile(join(import.meta.dirname, path), 'utf8')
    if (policyTypes.some((type) => text.includes(`'${type}'`))) naming.push(path)
  }
  expect(naming).toEqual([])
})
