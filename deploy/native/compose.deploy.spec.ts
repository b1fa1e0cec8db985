import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { composeCommand, root } from '../containers/docker.ts'
import { isThere, run } from '../helm/tools.ts'

/** Docker's compose plugin, the plugin built by `npm run test:image`, or the older separate program. */
function found(): readonly [string, ...string[]] | undefined {
  try {
    return composeCommand()
  } catch {
    return isThere('docker-compose') ? ['docker-compose'] : undefined
  }
}
const compose = found()
function check(environment: Readonly<Record<string, string>>) {
  const [command = '', ...first] = compose ?? []
  return run(command, [...first, '--file', join(root, 'docker-compose.yml'), 'config', '--quiet'], environment)
}
const secrets = {
  ASSAY_ADMIN_ACCESS_KEY: 'assay-test-access-key',
  ASSAY_ADMIN_SECRET_KEY: 'assay-test-secret-key',
  ASSAY_IDENTITY_SECRET: 'x'.repeat(40),
}
if (!compose) process.stderr.write('There is no docker compose: docker-compose.yml is not checked by it.\n')

describe.runIf(compose)('given docker-compose.yml', () => {
  test('then docker compose accepts it', () => {
    expect(check(secrets)).toMatchObject({ code: 0 })
  })

  test('when a secret is missing, then the error names it', () => {
    const { code, stderr } = check({ ...secrets, ASSAY_IDENTITY_SECRET: '' })
    expect(code).not.toBe(0)
    expect(stderr).toContain('ASSAY_IDENTITY_SECRET')
  })
})
