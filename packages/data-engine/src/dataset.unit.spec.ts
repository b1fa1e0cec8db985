import { describe, expect, it } from 'vitest'
import { csvOptions } from './dataset.ts'

const sentence = (options: object) => csvOptions.safeParse(options).error?.issues.map((issue) => issue.message)

describe('CSV options', () => {
  it.each([{ delimiter: '\t' }, { delimiter: '§' }, { encoding: ' Latin-1 ' }, { encoding: 'UTF8' }, {}])(
    'given %o then they are accepted',
    (options) => {
      expect(csvOptions.parse(options)).toEqual(options)
    },
  )

  it.each(['', '||', '\n', '\r', '\r\n', '\\t'])(
    'given the delimiter %o then the error asks for one character',
    (delimiter) => {
      expect(sentence({ delimiter })).toEqual([
        'Give one character that separates fields, such as a comma or a tab, and no line break.',
      ])
    },
  )

  it.each(['', 'klingon', 'constructor'])(
    'given the encoding %o then the error lists the known encodings',
    (encoding) => {
      expect(sentence({ encoding })).toEqual(['Use utf-8, utf-16, latin-1 or windows-1252.'])
    },
  )
})
