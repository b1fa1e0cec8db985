import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A JSON or NDJSON file with an oddity, and its correct content, written by hand. */
export interface NastyJson {
  name: string
  about: string
  text: string
  columns: { name: string; dataType: string }[]
  /** Values as the engine writes them as text, NULL as null. */
  rows: (string | null)[][]
}

const late = Array.from({ length: 30_000 }, (_, n) => `{"n":${n}}`).join('\n')

export const nastyJsonFiles: readonly NastyJson[] = [
  {
    name: 'late-text.ndjson',
    about: 'a word after 30,000 numbers',
    text: `${late}\n{"n":"late"}\n`,
    columns: [{ name: 'n', dataType: 'VARCHAR' }],
    rows: [...Array.from({ length: 30_000 }, (_, n) => [String(n)]), ['late']],
  },
  {
    name: 'late-key.ndjson',
    about: 'a new key after 30,000 objects',
    text: `${late}\n{"n":1,"rare":true}\n`,
    columns: [
      { name: 'n', dataType: 'BIGINT' },
      { name: 'rare', dataType: 'BOOLEAN' },
    ],
    rows: [...Array.from({ length: 30_000 }, (_, n) => [String(n), null]), ['1', 'true']],
  },
  {
    name: 'numbers.json',
    about: 'numbers that a double cannot represent',
    text: '[{"a":9007199254740993,"b":9223372036854775808,"c":0.5,"d":-1},{"a":0.5,"b":1,"c":2,"d":1}]',
    columns: [
      { name: 'a', dataType: 'DECIMAL(17,1)' },
      { name: 'b', dataType: 'DECIMAL(19,0)' },
      { name: 'c', dataType: 'DOUBLE' },
      { name: 'd', dataType: 'BIGINT' },
    ],
    rows: [
      ['9007199254740993.0', '9223372036854775808', '0.5', '-1'],
      ['0.5', '1', '2.0', '1'],
    ],
  },
  {
    name: 'beyond.ndjson',
    about: 'whole numbers beyond 64 bits, beyond 128 bits of DECIMAL, and numbers that are not finite',
    text: `{"a":18446744073709551616,"b":1${'0'.repeat(38)},"c":NaN}\n{"a":-1,"b":2,"c":-Infinity}\n{"a":0,"b":3,"c":1.5}\n`,
    columns: [
      { name: 'a', dataType: 'DECIMAL(20,0)' },
      { name: 'b', dataType: 'VARCHAR' },
      { name: 'c', dataType: 'DOUBLE' },
    ],
    rows: [
      ['18446744073709551616', `1${'0'.repeat(38)}`, 'nan'],
      ['-1', '2', '-inf'],
      ['0', '3', '1.5'],
    ],
  },
  {
    name: 'nested.json',
    about: 'objects are structures',
    text: '[{"id":1,"who":{"name":"a","age":3}},{"id":2,"who":null},{}]',
    columns: [
      { name: 'id', dataType: 'BIGINT' },
      { name: 'who', dataType: 'STRUCT("name" VARCHAR, age BIGINT)' },
    ],
    rows: [
      ['1', "{'name': a, 'age': 3}"],
      ['2', null],
      [null, null],
    ],
  },
  {
    name: 'mixed.ndjson',
    about: 'an object where others have text',
    text: '{"a":"x"}\n{"a":{"b":1}}\n',
    columns: [{ name: 'a', dataType: 'JSON' }],
    rows: [['"x"'], ['{"b":1}']],
  },
  {
    name: 'dates.ndjson',
    about: 'dates by ISO 8601 only',
    text: '{"a":"2026-01-02","b":"12-31-2026","c":"2026-01-02T03:04:05Z"}\n',
    columns: [
      { name: 'a', dataType: 'DATE' },
      { name: 'b', dataType: 'VARCHAR' },
      { name: 'c', dataType: 'TIMESTAMP WITH TIME ZONE' },
    ],
    rows: [['2026-01-02', '12-31-2026', '2026-01-02 03:04:05+00']],
  },
  {
    name: 'odd-keys.ndjson',
    about: 'keys that need quoting, digits as text',
    text: '{"a b":"007","a\\"b":1,"select":2,"größe":3}\n',
    columns: [
      { name: 'a b', dataType: 'VARCHAR' },
      { name: 'a"b', dataType: 'BIGINT' },
      { name: 'select', dataType: 'BIGINT' },
      { name: 'größe', dataType: 'BIGINT' },
    ],
    rows: [['007', '1', '2', '3']],
  },
  {
    name: 'key-twice.ndjson',
    about: 'a duplicate key in an object: its first value, as text',
    text: '{"a":1,"a":2,"b":"2026-01-02"}\n{"a":3,"b":null}\n',
    columns: [
      { name: 'a', dataType: 'VARCHAR' },
      { name: 'b', dataType: 'DATE' },
    ],
    rows: [
      ['1', '2026-01-02'],
      ['3', null],
    ],
  },
  {
    name: 'empty-key.ndjson',
    about: 'an empty key: the object as a whole',
    text: '{"":1,"C1":2}\n',
    columns: [{ name: 'json', dataType: 'JSON' }],
    rows: [['{"":1,"C1":2}']],
  },
  {
    name: 'keys-by-case.ndjson',
    about: 'keys that differ only in case: the object as a whole',
    text: '{"a":1,"A":2}\n',
    columns: [{ name: 'json', dataType: 'JSON' }],
    rows: [['{"a":1,"A":2}']],
  },
  {
    name: 'c-keys.ndjson',
    about: 'keys that look like those that the engine generates',
    text: '{"C0":1,"a_1":2}\n',
    columns: [
      { name: 'C0', dataType: 'BIGINT' },
      { name: 'a_1', dataType: 'BIGINT' },
    ],
    rows: [['1', '2']],
  },
  {
    name: 'no-objects.json',
    about: 'a list of values that are not objects; null is NULL',
    text: '[1, "x", null, [2]]',
    columns: [{ name: 'json', dataType: 'JSON' }],
    rows: [['1'], ['"x"'], [null], ['[2]']],
  },
]

/** Writes the odd JSON files to a folder and returns their content. */
export async function writeNastyJson(folder: string): Promise<readonly NastyJson[]> {
  await mkdir(folder, { recursive: true })
  for (const file of nastyJsonFiles) await writeFile(join(folder, file.name), file.text)
  return nastyJsonFiles
}
