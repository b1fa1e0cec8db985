import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { sabotages } from './list.ts'
import { edited, editsOf } from './sabotage.ts'
import { verdictOf } from './verdict.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
const folder = 'deploy/native/faults'
const faultSpecs = readdirSync(join(root, folder))
  .filter((name) => name.endsWith('.server.spec.ts'))
  .map((name) => `${folder}/${name}`)

/** The names of the tests of a file, up to the first placeholder. */
const testsOf = (spec: string): string[] =>
  [...textOf(spec).matchAll(/\btest\(\s*(?:'([^']+)'|`([^`$]+))/g)].map(([, plain, open]) => plain ?? open ?? '')

describe('given the sabotages', () => {
  test.each(sabotages)('when $name is checked, then the text that it replaces is in its file once', (sabotage) => {
    for (const edit of editsOf(sabotage)) {
      const source = textOf(edit.file)
      expect(edited(source, edit)).not.toBe(source)
    }
  })

  test.each(sabotages)('when the test of $name is searched, then it is found once', ({ spec, test: name }) => {
    const source = textOf(spec)
    if (name !== undefined) expect(source.split(name)).toHaveLength(2)
    else expect(source).toMatch(/\b(?:test|it)\(/)
  })

  test('when their names are compared, then they are unique', () => {
    expect(new Set(sabotages.map(({ name }) => name)).size).toBe(sabotages.length)
  })

  test('when docs/reliability.md is read, then it names all sabotages', () => {
    const page = textOf('docs/reliability.md')
    expect(sabotages.map(({ name }) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })

  test.each(faultSpecs)('when %s is searched, then there is a sabotage for it, and for each of its tests', (spec) => {
    const planted = sabotages.filter((sabotage) => sabotage.spec === spec)
    const names = testsOf(spec)
    expect(names.length).toBeGreaterThan(0)
    const isMet = (name: string) => planted.some(({ test: begin }) => begin === undefined || name.startsWith(begin))
    expect(names.filter((name) => !isMet(name))).toEqual([])
  })
})

describe('given a text to replace', () => {
  const edit = { file: 'a.ts', text: 'if (isLate) return\n', by: '' }
  test('when it occurs once, then it is replaced literally', () => {
    expect(edited('a\nif (isLate) return\nput()\n', { ...edit, by: '$& $1\n' })).toBe('a\n$& $1\nput()\n')
  })
  test.each([
    ['put()\n', 0],
    ['if (isLate) return\nif (isLate) return\n', 2],
  ])('when it is missing, or occurs twice, then the error says so (%#)', (source, times) => {
    expect(() => edited(source, edit)).toThrow(`occurs ${times} times in a.ts`)
  })
})

describe('given a report of vitest', () => {
  const verdict = (tests: { status: string; failureMessages?: string[] }[], message = '') => {
    const assertionResults = tests.map((each) => ({ fullName: 'a test', ...each }))
    return verdictOf({ testResults: [{ message, assertionResults }] }, { says: /stale/ })
  }
  test('when an assertion has the expected message, then the verdict is red, with the first line of the message', () => {
    const failureMessages = ['\u001b[31mAssertionError: stale policy 1\u001b[39m\n    at somewhere']
    expect(verdict([{ status: 'passed' }, { status: 'failed', failureMessages }])).toEqual({
      isRed: true,
      line: 'AssertionError: stale policy 1',
    })
  })
  test.each([
    [[{ status: 'failed', failureMessages: ['AssertionError: lost'] }], '', 'failed for another reason'],
    [[{ status: 'failed', failureMessages: ['Error: stale\n at'] }], '', 'failed for another reason'],
    [[{ status: 'skipped' }], 'The server does not start.', 'did not reach its tests'],
    [[], 'Transform failed', 'did not reach its tests'],
    [[{ status: 'passed' }, { status: 'skipped' }], '', 'stayed green (1 passed)'],
    [[{ status: 'skipped' }], '', 'ran no test'],
  ])('when the test ends in another way, then the verdict is not red, with the reason (%#)', (tests, message, why) => {
    expect(verdict(tests, message)).toMatchObject({ isRed: false, line: expect.stringContaining(why) })
  })
})
