import { isAssayError } from '@assay/service-kit/errors'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparePositions } from '../port.ts'
import { appendError, readError } from './errors.ts'
import { streamNamePattern } from './filter.ts'
import { knownPosition, logPosition, positionText, startPosition } from './positions.ts'

const offset = fc.bigInt(1n, 2n ** 63n - 1n)
const position = fc.record({ commit: offset, prepare: offset })

describe('positions', () => {
  it('law: the order of the texts is the order of the log, and each parses to the same position', () => {
    fc.assert(
      fc.property(position, position, (a, b) => {
        const order = a.commit === b.commit ? a.prepare - b.prepare : a.commit - b.commit
        expect(Math.sign(comparePositions(positionText(a), positionText(b)))).toBe(Math.sign(Number(order)))
        expect(logPosition(positionText(a))).toEqual(a)
        expect(comparePositions(startPosition, positionText(a))).toBe(-1)
      }),
    )
  })

  it('given a position of another store, then it is refused', () => {
    expect(() => logPosition('00000000000000000001')).toThrow('another kind of event store')
  })

  it('given the number that servers send for an unknown position, then there is none', () => {
    expect(knownPosition({ commit: 2n ** 64n - 1n, prepare: 2n ** 64n - 1n })).toBeUndefined()
  })
})

describe('the filter of stream names', () => {
  it.each([
    [['policy', 'key'], 'acme/policy-1', true],
    [['policy'], 'acme/policyx-1', false],
    [['policy'], 'acme/key-policy-1', false],
    [['a.b'], 'acme/axb-1', false],
    [['a.b'], 'acme/a.b-1', true],
    [undefined, 'acme/policy-1', true],
    [undefined, '$stats-127.0.0.1:2113', false],
    [undefined, '$ce/policy-1', false],
  ])('given the categories %j and the stream %s, then the match is %s', (categories, stream, matches) => {
    expect(new RegExp(streamNamePattern(categories)).test(stream)).toBe(matches)
  })
})

describe('errors', () => {
  const cases: [object, string, string][] = [
    [
      { code: 14, message: '14 UNAVAILABLE: No connection established. Last error: ECONNREFUSED' },
      'unavailable',
      'unavailable',
    ],
    [{ code: 14, message: '14 UNAVAILABLE: read ECONNRESET' }, 'unknown-outcome', 'unavailable'],
    [{ type: 'unavailable', message: '14 UNAVAILABLE: Connection dropped' }, 'unknown-outcome', 'unavailable'],
    [{ type: 'deadline-exceeded', code: 4 }, 'unknown-outcome', 'timeout'],
    [{ code: 4, message: '4 DEADLINE_EXCEEDED' }, 'unknown-outcome', 'timeout'],
    [{ type: 'timeout', code: 10 }, 'unknown-outcome', 'unavailable'],
    [{ type: 'wrong-expected-version' }, 'conflict', 'internal'],
    [{ type: 'access-denied', code: 7 }, 'unavailable', 'unavailable'],
    [{ type: 'not-leader', code: 5 }, 'unavailable', 'unavailable'],
    [{ code: 3, message: 'no' }, 'internal', 'internal'],
  ]
  it.each(cases)('given %j, then an append throws %s and a read throws %s', (fields, ofAppend, ofRead) => {
    const error = Object.assign(new Error(), fields)
    const codes = [appendError('s', 'any', error), readError(error)].map((each) => isAssayError(each) && each.code)
    expect(codes).toEqual([ofAppend, ofRead])
  })
})
