import { describe, expect, it } from 'vitest'
import { senderOf } from './client-of.ts'

const at = (remoteAddress: string, tenant = 'a') =>
  senderOf({ socket: { remoteAddress } }, { tenant, accessKey: 'key' }).client

describe('the client of a request', () => {
  it('given one address, then all keys of a tenant are one client, and other tenants and addresses are others', () => {
    expect(at('10.0.0.1')).toBe(at('10.0.0.1'))
    expect(at('10.0.0.1', 'b')).not.toBe(at('10.0.0.1'))
    expect(at('10.0.0.2')).not.toBe(at('10.0.0.1'))
  })

  it('given addresses of this machine, then they are one client', () => {
    expect(new Set(['::1', '127.0.0.1', '::ffff:127.0.0.1'].map((address) => at(address))).size).toBe(1)
    expect(at('::ffff:10.0.0.1')).not.toBe(at('127.0.0.1'))
  })
})
