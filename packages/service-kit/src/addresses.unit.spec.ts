import { describe, expect, test } from 'vitest'
import { isReachableAddress, networksOf } from './addresses.ts'

const none = networksOf([])
const some = networksOf(['127.0.0.0/8', 'fd00::/8', '10.1.2.3'])

describe('addresses that messages leave for', () => {
  test.each([
    '127.0.0.1',
    '10.0.0.7',
    '100.64.1.1',
    '169.254.169.254',
    '172.31.0.1',
    '192.168.1.1',
    '168.63.129.16',
    '203.0.113.9',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1%eth0',
    'fd00::7',
    'ff02::1',
    '::ffff:10.0.0.7',
    '::ffff:a00:7',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a00:1',
    '2002:a00:1::1',
    '2001:db8::1',
    'no address',
  ])('given %s, when nothing is allowed, then it is refused', (address) => {
    expect(none && isReachableAddress(address, none)).toBe(false)
  })
  test.each(['1.1.1.1', '172.32.0.1', '2606:4700::1111', '::ffff:1.1.1.1', '64:ff9b::101:101'])(
    'given %s, then it is reached',
    (address) => expect(none && isReachableAddress(address, none)).toBe(true),
  )
  test.each([
    ['127.0.0.1', true],
    ['::ffff:127.0.0.1', true],
    ['10.1.2.3', true],
    ['10.1.2.4', false],
    ['fd12::1', true],
    ['::1', false],
  ])('given %s, when networks are allowed, then it is reached: %s', (address, expected) => {
    expect(some && isReachableAddress(address, some)).toBe(expected)
  })
  test.each([['10.0.0.0/33'], ['10.0.0'], ['fd00::/129'], ['example.com'], ['10.0.0.0/8/8']])(
    'given %s, when it is parsed, then it is malformed',
    (text) => expect(networksOf([text])).toBeUndefined(),
  )
})
