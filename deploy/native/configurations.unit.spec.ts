import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../packages/service-kit/src/index.ts'
import { configurations } from './configurations.ts'

const others = ['CATALOG', 'POLICY', 'EXECUTION'].map((name) => [`ASSAY_${name}_URL`, 'http://other:8080'])
const pair = ['ASSAY_ADMIN_ACCESS_KEY', 'ASSAY_ADMIN_SECRET_KEY'].map((name) => [name, 'a-key-of-an-administrator'])

describe.each(Object.entries(configurations))('given the environment of %s', (service, schema) => {
  const known = Object.keys(schema.shape)
  const needed = Object.fromEntries([...others, ...pair].filter(([name = '']) => known.includes(name)))

  test('when it has adapters of the embedded form, bad values or unknown variables, then the error has a sentence for each', () => {
    const bad = { ASSAY_EVENT_STORE: 'sqlite', ASSAY_IDENTITY_SECRET: 'short', ASSAY_SLIP: '1' }
    const load = () => loadConfig(schema, known, { ...needed, ...bad })
    expect(load).toThrow(/ASSAY_EVENT_STORE must be eventstoredb in a service/)
    expect(load).toThrow(/ASSAY_IDENTITY_SECRET must be at least 32 characters/)
    expect(load).toThrow(/ASSAY_SLIP is not known/)
  })

  test('when its main starts, then it reads this configuration', () => {
    const main = readFileSync(new URL(`../../services/${service}/src/main.ts`, import.meta.url), 'utf8')
    expect(main).toContain(`const config = readConfig(${service}Config)`)
  })
})
