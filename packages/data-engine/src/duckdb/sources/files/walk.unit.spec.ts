import { describe, expect, it } from 'vitest'
import type { FoundFile } from './tree.ts'
import { addFiles } from './walk.ts'

describe('files of a partitioned folder', () => {
  it('given more files than a call can have arguments, then all are added', () => {
    const file: FoundFile = { path: '/d/day=1/a.csv', relative: 'day=1/a.csv', format: 'CSV', size: 1, mtimeMs: 1 }
    const found = Array.from({ length: 400_000 }, () => file)
    const files: FoundFile[] = [file]
    addFiles(files, { kind: 'partitioned', folder: 'd', files: found })
    addFiles(files, { kind: 'file', file })
    expect(files).toHaveLength(400_002)
  })
})
