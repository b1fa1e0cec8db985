import { AssayError } from '@assay/service-kit/errors'
import { describe, expect, it } from 'vitest'
import { translated } from './errors.ts'
import { foreignFolder } from './owner.ts'

describe('errors of the file system', () => {
  for (const code of ['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'EIO']) {
    it(`given ${code}, when translated, then the error is unavailable, with a sentence and without the path`, () => {
      const error = translated(Object.assign(new Error(`${code}: open '/data/results/t'`), { code }))
      expect(error.code).toBe('unavailable')
      expect(error.message).toMatch(/^[A-Z].*\.$/)
      expect(error.message).not.toContain('/data')
    })
  }

  it('given an AssayError, when translated, then it is unchanged', () => {
    const error = new AssayError('taken', 'Taken.')
    expect(translated(error)).toBe(error)
    expect(translated(new Error('odd')).code).toBe('internal')
  })

  it("given another user's folder, when it is opened, then the sentence for operators names the path and both users", async () => {
    const refused = Object.assign(new Error('EACCES'), { code: 'EACCES' })
    const found = await foreignFolder('/nowhere/results', refused)
    expect(found).toMatchObject({ code: 'unavailable', cause: refused })
    expect(found?.message).toContain(
      `The results folder /nowhere/results cannot be used by user ${process.geteuid?.()}: / belongs to user 0.`,
    )
    expect(await foreignFolder('/nowhere', new Error('odd'))).toBeUndefined()
  })
})
