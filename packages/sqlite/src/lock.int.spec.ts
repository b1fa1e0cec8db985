import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { holdLock } from './lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-lock-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('given a held lock, then nobody gets it until it is released', () => {
  const path = join(folder, 'in-use')
  const first = holdLock(path)
  expect(first).toBeDefined()
  expect(holdLock(path)).toBeUndefined()
  first?.release()
  const second = holdLock(path)
  expect(second).toBeDefined()
  second?.release()
})
