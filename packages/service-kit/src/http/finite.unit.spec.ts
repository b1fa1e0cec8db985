import { expect, it } from 'vitest'
import { isAssayError } from '../errors.ts'
import { assertFinite } from './finite.ts'

function outcomeOf(text: string): string {
  try {
    assertFinite(Buffer.from(text))
    return 'accepted'
  } catch (error) {
    return isAssayError(error) ? error.message : String(error)
  }
}

it.each([
  '{"value":{"min":1e400}}',
  '{"min":-1E+400}',
  `[{"min":${'9'.repeat(400)}}]`,
  '{"min":1.5e0999}',
  `{"min":1${'0'.repeat(250)}e99}`,
])('given %s, then it is refused by the name of the field', (text) =>
  expect(outcomeOf(text)).toBe('min: a number must be at most 1.7976931348623157e308.'),
)

it.each(['{"min":1e308,"text":"1e400"}', '{"min":1e-400}', '{"min":1e400', `{"text":"${'9'.repeat(400)}"}`])(
  'given %s, then it is left to the parser and the schemas',
  (text) => expect(outcomeOf(text)).toBe('accepted'),
)
