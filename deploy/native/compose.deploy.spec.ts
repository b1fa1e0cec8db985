import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { isThere, run } from '../helm/tools.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const check = (environment: Readonly<Record<string, string>>) =>
  run('docker-compose', ['--file', `${root}docker-compose.yml`, 'config', '--quiet'], environment)
const secrets = {
  ASSAY_ADMIN_ACCESS_KEY: 'assay-test-access-key',
  ASSAY_ADMIN_SECRET_KEY: 'assay-test-secret-key',
  ASSAY_IDENTITY_SECRET: 'x'.repeat(40),
}
const hasCompose = isThere('docker-compose')
if (!hasCompose) process.stderr.write('docker-compose is not on PATH: docker-compose.yml is not checked by it.\n')

describe.runIf(hasCompose)('given docker-compose.yml', () => {
  test('then docker-compose finds nothing to say against it', () => {
    expect(check(secrets)).toMatchObject({ code: 0 })
  })

  test('when a secret is missing, then it says which', () => {
    const { code, stderr } = check({ ...secrets, ASSAY_IDENTITY_SECRET: '' })
    expect(code).not.toBe(0)
    expect(stderr).toContain('ASSAY_IDENTITY_SECRET')
  })
})
