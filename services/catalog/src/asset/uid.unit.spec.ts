import { describe, expect, it } from 'vitest'
import { assetStreamId, uidCandidate, uidOf, uidPart } from './uid.ts'

describe('UIDs', () => {
  it.each([
    [['sales', '2026', 'orders.csv', 'amount'], 'sales.2026.orders.csv.amount'],
    [['my sales', 'Ünï', 'x y'], 'my sales.Ünï.x y'],
    [['a/b', 'c\\d', 'e?f', 'g#h', 'i%j', 'k&l', 'm+n'], 'a_b.c_d.e_f.g_h.i_j.k_l.m_n'],
    [['tab\there', 'nul\u0000', 'del\u007f', 'c1\u0085'], 'tab_here.nul_.del_.c1_'],
  ])('join the parts %j', (parts, uid) => {
    expect(uidOf(parts)).toBe(uid)
  })

  it('get a suffix from the second candidate on', () => {
    expect([1, 2, 3].map((n) => uidCandidate('a.b', n))).toEqual(['a.b', 'a.b~2', 'a.b~3'])
  })

  it('have stream names of a fixed form, whatever the UID', () => {
    expect(assetStreamId('a')).toMatch(/^[0-9a-f]{64}$/)
    expect(assetStreamId('a')).not.toBe(assetStreamId('a~2'))
    expect(uidPart('\ud800').isWellFormed()).toBe(true)
  })
})
