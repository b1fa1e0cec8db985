import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { documents } from './documents.ts'

test.each(Object.entries(documents))(
  '%s is what the contracts give: else `npm run documents` writes it',
  (path, text) => {
    expect(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8') === text()).toBe(true)
  },
)
