import { describe, expect, it } from 'vitest'
import { planParameters } from '../sql/written.ts'
import { writtenExpression } from './written.ts'

const inExpression = (sql: string) =>
  writtenExpression({ sql, variables: { x: 'y' } }, planParameters('2026-01-02T03:04:05.000Z')).text

describe("users' SQL for MariaDB and MySQL", () => {
  it.each(["'a\\'", "'it''s -- # /* no comment'", '"a\\"', '`a"b`', "a = 'b' AND ${x} = 1"])(
    'given %s, then it is accepted',
    (sql) => {
      expect(inExpression(sql)).not.toBe('')
    },
  )

  it.each([
    ...['a--1', 'a -- x', 'a # x', 'a /* x */', 'a /*!50000 + sleep(1) */', 'a /*M! + 1 */'],
    ...["N'a'", "_latin1'a'", "X'61'", "b'1'", "'open", '"open', '`open', 'a \\ b', "a = 'b\0'", 'a\0'],
    ...['größe = 1', 'a\u00a0= 1', 'a\u000b= 1', '@@version', '$$a$$', 'a || b', '{d a}'],
  ])('given %s, then it is refused', (sql) => {
    expect(() => inExpression(sql)).toThrow(expect.objectContaining({ code: 'invalid' }))
  })
})
