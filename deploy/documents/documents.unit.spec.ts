import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { documents } from './documents.ts'

test.each(Object.entries(documents))('%s is up to date: otherwise run `npm run documents`', (path, text) => {
  expect(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8') === text()).toBe(true)
})
