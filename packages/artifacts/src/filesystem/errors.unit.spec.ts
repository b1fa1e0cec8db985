import { AssayError } from '@assay/service-kit/errors'
import { describe, expect, it } from 'vitest'
import { translated } from './errors.ts'

describe('errors of the file system', () => {
  for (const code of ['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'EIO']) {
    it(`given ${code}, when translated, then it is unavailable with a sentence and without the path`, () => {
      const error = translated(Object.assign(new Error(`${code}: open '/data/results/t'`), { code }))
      expect(error.code).toBe('unavailable')
      expect(error.message).toMatch(/^[A-Z].*\.$/)
      expect(error.message).not.toContain('/data')
    })
  }

  it('given an error of our own, when translated, then it stays as it is', () => {
    const error = new AssayError('taken', 'Taken.')
    expect(translated(error)).toBe(error)
    expect(translated(new Error('odd')).code).toBe('internal')
  })
})
