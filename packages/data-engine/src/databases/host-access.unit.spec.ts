import { describe, expect, test } from 'vitest'
import { hostAccessOf, hostRefusal, isForbiddenAddress, parseAllowedHost } from './host-access.ts'

describe('hosts that an operator allows', () => {
  test.each([
    ['db.example.com', { tenant: 'default', host: 'db.example.com', port: null }],
    ['sales=DB:5433', { tenant: 'sales', host: 'db', port: 5433 }],
    ['*=10.0.0.7', { tenant: '*', host: '10.0.0.7', port: null }],
    ['[fd00::7]:5432', { tenant: 'default', host: 'fd00::7', port: 5432 }],
    ['fd00::7', { tenant: 'default', host: 'fd00::7', port: null }],
    ['postgres://db', undefined],
    ['', undefined],
    ['a b', undefined],
  ])('given %s, when it is parsed, then tenant, host and port are known', (text, expected) => {
    expect(parseAllowedHost(text)).toEqual(expected)
  })

  test('given a list, when a tenant names a host, then only its own hosts and ports pass', () => {
    const listed = ['db', 'sales=other:5433', '*=shared'].flatMap((text) => parseAllowedHost(text) ?? [])
    const access = hostAccessOf({ listed, isEmbedded: true })
    const passes = (tenant: string, host: string, port = 5432) => hostRefusal(access(tenant), { host, port }) === null
    expect([passes('default', 'DB'), passes('default', 'shared'), passes('default', 'other', 5433)]).toEqual([
      true,
      true,
      false,
    ])
    expect([passes('sales', 'other', 5433), passes('sales', 'other'), passes('sales', 'db')]).toEqual([
      true,
      false,
      false,
    ])
  })

  test.each([
    [true, 'default', true],
    [true, 'sales', false],
    [false, 'default', false],
  ])('given no list, when embedded is %s, then the tenant %s reaches any host: %s', (isEmbedded, tenant, expected) => {
    const access = hostAccessOf({ listed: undefined, isEmbedded })(tenant)
    expect(hostRefusal(access, { host: 'db', port: 5432 }) === null).toBe(expected)
  })
})

describe('addresses that are never reached', () => {
  test.each([
    '169.254.169.254',
    '169.254.0.1',
    '0.0.0.0',
    'fe80::1%eth0',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    'fd00:ec2::254',
    '100.100.100.200',
    '224.0.0.1',
    '64:ff9b::a9fe:a9fe',
  ])('given %s, then it is refused', (address) => expect(isForbiddenAddress(address)).toBe(true))
  test.each([
    '127.0.0.1',
    '10.0.0.7',
    '192.168.1.1',
    '203.0.113.9',
    '::1',
    'fd00::7',
    '2001:db8::1',
    '::ffff:10.0.0.7',
  ])('given %s, then it is not refused', (address) => expect(isForbiddenAddress(address)).toBe(false))
})
