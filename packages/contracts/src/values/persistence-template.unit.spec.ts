import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  categoriesProblem,
  defaultTemplate,
  prefixProblem,
  resolveTemplate,
  type TemplateValues,
  templateProblem,
} from './persistence-template.ts'

const values: TemplateValues = {
  policyType: 'DATA_QUALITY',
  policyName: 'orders: not null?',
  requestId: '01a2',
  executionId: 12,
  startedAt: '2026-11-20T23:59:58.007Z',
  recordType: 'BAD',
}

describe('resolving', () => {
  it.each([
    [defaultTemplate, 'DATA_QUALITY/orders__not_null_/2026-11-20/01a2/BAD'],
    ['x/{{TIME:yyyyMMdd_HHmmss.SSS}}-{{EXECUTION_ID}}', 'x/20261120_235958.007-12'],
    ['dt={{TIME:yyyy-MM}}/{{RECORD_TYPE}}-{{REQUEST_ID}}', 'dt=2026-11/BAD-01a2'],
  ])('%s → %s', (template, path) => {
    expect(resolveTemplate(template, values)).toBe(path)
  })
  it('a name cannot climb to a parent folder', () => {
    expect(
      resolveTemplate('{{POLICY_NAME}}/{{REQUEST_ID}}', { ...values, policyName: '..', requestId: '../../etc' }),
    ).toBe('__/.._.._etc')
  })
  it('a device name is not allowed as a segment', () => {
    expect(resolveTemplate('{{POLICY_NAME}}/{{REQUEST_ID}}', { ...values, policyName: 'NUL' })).toBe('_NUL/01a2')
  })
  it('nothing leaves the root, whatever the template and the names', () => {
    const tokens = fc.constantFrom(
      '{{POLICY_NAME}}',
      '{{REQUEST_ID}}',
      '{{TIME:../}}',
      '{{X}}',
      '/',
      '.',
      '..',
      '\\',
      '-',
      'a',
    )
    fc.assert(
      fc.property(
        fc.array(tokens),
        fc.string(),
        fc.string({ unit: fc.constantFrom('.', '/', 'a') }),
        (parts, policyName, requestId) => {
          const path = resolveTemplate(parts.join(''), { ...values, policyName, requestId })
          expect(path).toMatch(/^[A-Za-z0-9._=-]+(\/[A-Za-z0-9._=-]+)*$/)
          expect(path.split('/').every((segment) => !/^\.+$/.test(segment))).toBe(true)
        },
      ),
    )
  })
})

describe('templates', () => {
  it.each([
    'run1{{EXECUTION_ID}}',
    '{{EXECUTION_ID}}0',
    '{{POLICY_NAME}}{{EXECUTION_ID}}',
    '{{EXECUTION_ID}}{{TIME:dd}}',
  ])(
    '%s is refused, because two runs could have one path; with the id of the request or a hyphen it is accepted',
    (template) => {
      expect(templateProblem(template)).toContain('directly next to')
      expect(templateProblem(`${template}/{{REQUEST_ID}}`)).toBeUndefined()
      const apart = template.replace(/(?<=[}1])(?=\{\{EXEC)/, '-').replace(/(?<=EXECUTION_ID\}\})(?=[0{])/, '-')
      expect(templateProblem(apart)).toBeUndefined()
    },
  )
  it.each([defaultTemplate, 'run{{EXECUTION_ID}}', 'a/b-c_d=e/{{EXECUTION_ID}}'])('%s can be used', (template) => {
    expect(templateProblem(template)).toBeUndefined()
  })
  it.each([
    ['{{POLICY_NAME}}', /REQUEST_ID/],
    ['{{NAME}}/{{REQUEST_ID}}', /unknown token/],
    ['{{TIME}}/{{REQUEST_ID}}', /unknown token/],
    ['{{TIME:YYYY}}/{{REQUEST_ID}}', /time pattern/],
    ['../{{REQUEST_ID}}', /only letters/],
    ['/{{REQUEST_ID}}', /both sides/],
    ['a//{{REQUEST_ID}}', /both sides/],
    ['nul/{{REQUEST_ID}}', /device/],
    ['{{POLICY_NAME}}{{POLICY_NAME}}{{REQUEST_ID}}', /longer than/],
    ['{{REQUEST_ID', /only letters/],
  ])('%s cannot be used', (template, message) => {
    expect(templateProblem(template)).toMatch(message)
  })
  it('prefixes are static', () => {
    expect(prefixProblem('team-a/dq')).toBeUndefined()
    expect(prefixProblem('a/../b')).toMatch(/only letters/)
  })
  it('no two categories may have the same path, nor one below the other', () => {
    const [good, bad, metadata] = [defaultTemplate, defaultTemplate, defaultTemplate]
    expect(categoriesProblem({ good, bad, metadata })).toBeUndefined()
    expect(categoriesProblem({ good: 'x/{{REQUEST_ID}}', bad: 'X/{{REQUEST_ID}}', metadata })?.category).toBe('bad')
    expect(categoriesProblem({ good, bad: 'x/{{REQUEST_ID}}', metadata: 'x/{{REQUEST_ID}}/m' })?.category).toBe(
      'metadata',
    )
  })
})
