import { AssayError } from '@assay/service-kit/errors'
import { describe, expect, it } from 'vitest'
import { unreadable } from '../sources/failures.ts'
import { engineMessage } from './failure.ts'

describe("the message for people about a driver's error", () => {
  it.each([
    [
      'Binder Error: Referenced column "amout" not found in FROM clause!\nCandidate bindings: "assay_shape.amount", "name"\n\nLINE 1: SELECT',
      'There is no column "amout"; did you mean "amount"?',
    ],
    [
      'Binder Error: Table "asset" does not have a column named "zz"\n\nCandidate bindings: : "s"',
      'There is no column "zz".',
    ],
    [
      "Binder Error: No function matches the given name and argument types 'sum(VARCHAR)'. You might need casts.\n\tCandidate functions:\n\tsum(DECIMAL) -> DECIMAL",
      '"sum" does not work with VARCHAR: cast them, for example with TRY_CAST(x AS DOUBLE).',
    ],
    [
      'Catalog Error: Scalar Function with name !__postfix does not exist!',
      'There is no operator "!": write NOT for negation and <> for "is not equal".',
    ],
    ['Catalog Error: Type with name foo does not exist!\nDid you mean "bool"?', 'There is no type "foo".'],
    [
      'Binder Error: Cannot compare values of type VARCHAR and type INTEGER_LITERAL - an explicit cast is required',
      'A VARCHAR and an INTEGER cannot be compared: cast one of them.',
    ],
    [
      'Binder Error: Cannot compare values of type INTERVAL and type UUID - an explicit cast is required',
      'An INTERVAL and a UUID cannot be compared: cast one of them.',
    ],
    ...['(?=', '(?!', '(?<'].map((operator) => [
      `Invalid Input Error: invalid perl operator: ${operator}`,
      'Regular expressions are those of RE2, which has no look-around, such as (?=…), (?!…), (?<=…) or (?<!…): write the pattern without.',
    ]),
    [
      'Invalid Input Error: invalid perl operator: (?>',
      'A pattern is not a valid regular expression: check for a missing bracket or a \\ at its end.',
    ],
    [
      "Conversion Error: Could not convert string 'the secret' to INT32 when casting from source column name",
      'A value cannot be converted to INTEGER: use TRY_CAST, which gives NULL instead.',
    ],
    ['Invalid Input Error: the secret', 'A function of the SQL cannot work with a value of the data.'],
    [
      'Permission Error: Cannot access file "/etc/passwd" - file system operations are disabled by configuration',
      'The SQL reads something outside of the data.',
    ],
    ['Parser Error: syntax error at or near ")"\n\nLINE 1: SELECT )', '")" is not expected here.'],
    [
      'Invalid Input Error: Hive partition mismatch between file "a.csv" and "b.csv"',
      'A file of the source cannot be read: it was moved, changed or damaged. Crawl the source again.',
    ],
    [
      'IO Error: cannot read /srv/in/a.csv',
      'A file of the source cannot be read: it was moved, changed or damaged. Crawl the source again.',
    ],
  ])('given %j, then the message is %j', (error, message) => {
    expect(engineMessage(new Error(error), ['/srv/in'])).toBe(message)
  })

  it('given a message of Assay, then only host folders are removed', () => {
    const own = new AssayError('unprocessable', 'The column "a" of /srv/in is not there.')
    expect(engineMessage(own, ['/srv/in'])).toBe('The column "a" of … is not there.')
  })

  const value = '123456789'
  it.each([
    `Out of Range Error: Overflow in multiplication of INT32 (${value} * 99)!`,
    `Conversion Error: Could not convert string '${value}' to DATE`,
    `Conversion Error: Could not convert string 'go to SQLITE' to INT32`,
    `Invalid Input Error: Malformed JSON in file "/data/${value}", at byte 1 in record/value 2: ${value}`,
    `Invalid Error: ${value}`,
    `Mismatch Type Error: Invalid type in column "a": declared as integer, found "${value}" of type "text" instead.`,
    `Constraint Error: Duplicate key "id: ${value}" violates primary key constraint`,
    `Not implemented Error: ${value}`,
    `Parameter Not Resolved Error: ${value}`,
    `A Kind Of Very Many Words Error: Table with name ${value} does not exist`,
    `Serialization Error: "${value}"`,
    `INTERNAL Error: ${value}`,
    `FATAL Error: ${value}`,
    `TransactionContext Error: ${value}`,
    `HTTP Error: ${value}`,
    `Permission Error: ${value}`,
    `IO Error: ${value}`,
    `INTERRUPT Error: ${value}`,
    `Parser Error: Invalid Input Error: ${value}`,
    `ENOENT: no such file or directory, open '/data/${value}'`,
    `SQLITE_CONSTRAINT: UNIQUE constraint failed: ${value}`,
    `database disk image is malformed: ${value}`,
    `Unknown text with ${value}`,
  ])('given %j, then the message contains no text of the engine', (text) => {
    expect(engineMessage(new Error(text))).not.toMatch(/123456789|\/data|Error:|Overflow|E[A-Z]{4}|SQLITE/)
    expect(unreadable(new Error(text.replace('INTERRUPT', 'Io')), 'a.csv').message).not.toMatch(/123456789|Error:/)
  })
})
