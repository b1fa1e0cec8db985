import { loadConfig } from '@assay/service-kit'
import { expect, test } from 'vitest'
import { standaloneConfig } from './config.ts'

const load = (env: Record<string, string>) => loadConfig(standaloneConfig, Object.keys(standaloneConfig.shape), env)

test.each([
  [
    'an administrator without a secret',
    { ASSAY_ADMIN_ACCESS_KEY: 'a'.repeat(20) },
    /ASSAY_ADMIN_SECRET_KEY must be set/,
  ],
  [
    'a secret without an administrator',
    { ASSAY_ADMIN_SECRET_KEY: 'a'.repeat(20) },
    /ASSAY_ADMIN_ACCESS_KEY must be set/,
  ],
  ['a key that is too short', { ASSAY_ADMIN_ACCESS_KEY: 'short', ASSAY_ADMIN_SECRET_KEY: 'short' }, /16 to 128/],
])('given %s, then the error says so', (_, env, sentence) => {
  expect(() => load(env)).toThrow(sentence)
})
