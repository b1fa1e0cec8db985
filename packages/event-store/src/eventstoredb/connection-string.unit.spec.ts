import { isAssayError } from '@assay/service-kit/errors'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseConnectionString } from './connection-string.ts'

describe('connection strings', () => {
  it.each([
    ['esdb://events', { discover: false, hosts: [{ address: 'events', port: 2113 }], tls: true }],
    ['esdb://events:1?tls=false', { hosts: [{ address: 'events', port: 1 }], tls: false }],
    ['  kurrentdb://events:2113/?TLS=true  ', { hosts: [{ address: 'events', port: 2113 }], tls: true }],
    ['esdb+discover://events.local', { discover: true, hosts: [{ address: 'events.local', port: 2113 }] }],
    ['kurrentdb+discover://events', { discover: true }],
    [
      'esdb://a:1,b:2, c/',
      {
        hosts: [
          { address: 'a', port: 1 },
          { address: 'b', port: 2 },
          { address: 'c', port: 2113 },
        ],
      },
    ],
    ['esdb://[::1]:2113?tls=false', { hosts: [{ address: '[::1]', port: 2113 }] }],
    ['esdb://a:b:c%40d@h', { user: { username: 'a', password: 'b:c@d' }, hosts: [{ address: 'h', port: 2113 }] }],
    ['esdb://a:b@c/d@h', { user: { username: 'a', password: 'b@c/d' }, hosts: [{ address: 'h', port: 2113 }] }],
    [
      'esdb://h?tls_ca_file=/etc/my%20ca.pem&userCertFile=c.pem&user-key-file=k.pem',
      { tlsCaFile: '/etc/my ca.pem', userCertFile: 'c.pem', userKeyFile: 'k.pem' },
    ],
    ['esdb://h?tlsCAFile=/a@b.pem', { hosts: [{ address: 'h', port: 2113 }], tlsCaFile: '/a@b.pem' }],
    [
      'esdb://h?keepAliveInterval=-1&gossipTimeout=3&connectionName=one&nodePreference=Leader',
      { numbers: { keepAliveInterval: -1, gossipTimeout: 3 }, connectionName: 'one' },
    ],
  ])('given %s, then %j', (text, settings) => {
    expect(parseConnectionString(text)).toMatchObject(settings)
  })

  it.each([
    ['mysql://hidden:hidden@h', /host:port/],
    ['hidden', /host:port/],
    ['esdb://', /host:port/],
    ['esdb://hidden:pa?ss@h', /host:port/],
    ['esdb://h:99999', /host:port/],
    ['esdb+discover://hidden,other', /one host/],
    ['esdb://hidden@h', /a name and a password/],
    ['esdb://:hidden@h', /a name and a password/],
    ['esdb://hidden:@h', /a name and a password/],
    ['esdb://u:hidden%zz@h', /%25/],
    ['esdb://u:hidden@h?hidden=1', /unknown option. Known options are tls,/],
    ['esdb://u:hidden@h?tls', /unknown option/],
    ['esdb://u:hidden@h?tls=hidden', /tls must be true or false/],
    ['esdb://u:hidden@h?tlsVerifyCert=false', /always checked/],
    ['esdb://u:hidden@h?nodePreference=follower', /leader/],
    ['esdb://u:hidden@h?tls=false&tlsCaFile=hidden', /tlsCaFile requires tls=true/],
    ['esdb://u:hidden@h?tlsCaFile=', /tlsCaFile has no file/],
    ['esdb://u:hidden@h?userCertFile=hidden', /must be given together/],
    ['esdb://u:hidden@h?gossipTimeout=hidden', /gossipTimeout must be a whole number/],
  ])('given %s, then it is invalid and the error quotes no part of it', (text, problem) => {
    const invalid = expect.toSatisfy((error: unknown) => isAssayError(error, 'invalid'), 'invalid')
    expect(() => parseConnectionString(text)).toThrow(problem)
    expect(() => parseConnectionString(text)).toThrow(invalid)
    expect(() => parseConnectionString(text)).not.toThrow('hidden')
  })

  it('law: a user and a password in percent codes are decoded unchanged', () => {
    const text = fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom(...'aB0:@/?&=%#+ ,;€😀') })
    fc.assert(
      fc.property(text, text, (username, password) => {
        const written = `esdb://${encodeURIComponent(username)}:${encodeURIComponent(password)}@h:1?tls=true`
        expect(parseConnectionString(written)).toMatchObject({ user: { username, password } })
      }),
    )
  })

  it('law: any string is either parsed or invalid', () => {
    fc.assert(
      fc.property(fc.string(), (rest) => {
        try {
          parseConnectionString(`esdb://${rest}`)
        } catch (error) {
          expect(isAssayError(error, 'invalid')).toBe(true)
        }
      }),
    )
  })
})
