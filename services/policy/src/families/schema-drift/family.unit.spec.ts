import { policyKinds } from '@assay/contracts'
import { expect, it } from 'vitest'
import { defaultDefinition } from '../../policy/default-definition.ts'
import { schemaDrift } from './family.ts'

it('given some severities, then absent severities stay, and typeChanged alone also sets typeWidened', () => {
  const before = defaultDefinition('SCHEMA_DRIFT', 'p', { assetId: 11, uid: 'a.b', marker: null })
  const merged = (severity: object) => {
    const { body } = policyKinds.SCHEMA_DRIFT.update
    if (body === undefined) throw new Error('Updates have a body.')
    return schemaDrift.merge(before, body.parse({ rule: { severity } })).severity
  }
  const defaults = { removed: 'ERROR', renamed: 'ERROR', nullability: 'WARNING', order: 'IGNORE' }
  const rest = { ...defaults, added: 'WARNING' }
  expect(merged({})).toEqual({ ...rest, typeWidened: 'WARNING', typeChanged: 'ERROR' })
  expect(merged({ typeChanged: 'IGNORE' })).toEqual({ ...rest, typeWidened: 'IGNORE', typeChanged: 'IGNORE' })
  expect(merged({ typeChanged: 'WARNING', typeWidened: 'ERROR' })).toEqual({
    ...{ ...rest, typeWidened: 'ERROR' },
    typeChanged: 'WARNING',
  })
})
