import { describe, expect, it } from 'vitest'
import { portablePattern } from './pattern.ts'

describe('a regular expression for MariaDB and MySQL', () => {
  it.each([
    ['', ''],
    ['ab|c', 'ab|c'],
    ['^a$', '\\Aa\\z'],
    ['(?m)^a$', '(?:\\A|(?<=\\x{a}))a(?:\\z|(?=\\x{a}))'],
    ['.', '[^\\x{a}]'],
    ['(?s).', '[\\x{0}-\\x{10ffff}]'],
    ['a{2,3}?', '(?:a){2,3}?'],
    ['a{,3}', 'a\\x{7b}\\x{2c}3\\x{7d}'],
    ['\\d\\pL\\p{^Greek}', '[\\x{30}-\\x{39}]\\p{L}\\P{Greek}'],
    ['[^\\d.\\]-]', '[^\\x{30}-\\x{39}\\x{2e}\\x{5d}\\x{2d}]'],
    ['[]a]', '[\\x{5d}\\x{61}]'],
    ['[[:alpha:]]', '[\\x{41}-\\x{5a}\\x{61}-\\x{7a}]'],
    ['[\\D]', '[\\x{0}-\\x{2f}\\x{3a}-\\x{10ffff}]'],
    ['(?P<y>a)(?i:b)c', '(?:a)(?:(?i:b))c'],
    ['a(?i)b(c)', 'a(?i:b)(?:(?i:c))'],
    ['\\Qa.b\\E+', '\\x{61}\\x{2e}(?:\\x{62})+'],
    ['\\Q(', '\\x{28}'],
    ['\\x{1F600}\\x41\\101\\n', '\\x{1f600}\\x{41}\\x{41}\\x{a}'],
    ['\\Aa\\z', '\\Aa\\z'],
    ['[a&&[b]]', '[\\x{61}\\x{26}\\x{26}\\x{5b}\\x{62}]\\x{5d}'],
  ])('given %s, when translated, then it is %s', (pattern, expected) => {
    expect(portablePattern(pattern)).toBe(expected)
  })

  it.each([
    '(',
    ')',
    'a**',
    '*',
    '(?=a)',
    '(?<!a)',
    '(?>a)',
    '(a)\\1',
    'a++',
    '[b-a]',
    '[a',
    '\\',
    'a{1001}',
    '[[:x:]]',
    '\\y',
    '\\C',
  ])('given %s, which RE2 refuses or no other engine has, when translated, then it is refused', (pattern) => {
    expect(() => portablePattern(pattern)).toThrow(/regular expression cannot be used/)
  })

  it('given brackets without end, when translated, then it is refused and does not overflow', () => {
    expect(() => portablePattern('('.repeat(100_000))).toThrow(/nested too deeply/)
  })
})
