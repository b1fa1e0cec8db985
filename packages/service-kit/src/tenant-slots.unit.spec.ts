import { describe, expect, it } from 'vitest'
import { createTenantSlots } from './tenant-slots.ts'

/** Takes all items one by one, and releases each before the next. */
function inTurn(slots: ReturnType<typeof createTenantSlots<string>>): string[] {
  const taken: string[] = []
  for (let next = slots.take(); next !== undefined; next = slots.take()) {
    taken.push(next.item)
    slots.release(next.tenant)
  }
  return taken
}

describe('slots of tenants', () => {
  it('given many items of one tenant, when another tenant adds an item, then that item is the next', () => {
    const slots = createTenantSlots<string>({ capacity: 1 })
    for (let at = 1; at <= 300; at++) slots.add('a', `a${at}`)
    expect(slots.take()?.item).toBe('a1')
    slots.add('b', 'b1')
    slots.add('c', 'c1')
    slots.release('a')
    expect(inTurn(slots).slice(0, 4)).toEqual(['b1', 'c1', 'a2', 'a3'])
  })

  it('given a tenant with more slots, then a free slot goes to the tenant with fewer', () => {
    const slots = createTenantSlots<string>({ capacity: 3 })
    for (const item of ['a1', 'a2', 'a3', 'a4', 'a5']) slots.add('a', item)
    expect([slots.take(), slots.take(), slots.take()].map((each) => each?.item)).toEqual(['a1', 'a2', 'a3'])
    for (const item of ['b1', 'b2']) slots.add('b', item)
    slots.release('a')
    slots.release('a')
    expect([slots.take(), slots.take(), slots.take()].map((each) => each?.item)).toEqual(['b1', 'a4', undefined])
  })

  it('given many items of one key, when another key of the tenant adds an item, then that item is the next of the tenant', () => {
    const slots = createTenantSlots<string>({ capacity: 1 })
    for (const item of ['a1', 'a2', 'a3']) slots.add('t', item, 'a')
    expect(slots.take()?.item).toBe('a1')
    for (const item of ['b1', 'b2']) slots.add('t', item, 'b')
    slots.add('t', 'c1', 'c')
    slots.add('other', 'z1', 'a')
    expect([slots.withdraw('t', 'c1'), slots.waiting('t')]).toEqual([true, ['a2', 'a3', 'b1', 'b2']])
    slots.release('t')
    expect(inTurn(slots)).toEqual(['z1', 'b1', 'a2', 'b2', 'a3'])
    expect(slots.waitingCount).toBe(0)
  })

  it('given a limit per tenant, then the other slots stay free for other tenants', () => {
    const slots = createTenantSlots<string>({ capacity: 3, perTenant: 2 })
    for (const item of ['a1', 'a2', 'a3']) slots.add('a', item)
    expect([slots.take()?.item, slots.take()?.item, slots.take()?.item]).toEqual(['a1', 'a2', undefined])
    expect([slots.isFull('a'), slots.isFull('b')]).toEqual([true, false])
    slots.add('b', 'b1')
    expect(slots.take()?.item).toBe('b1')
  })

  it('when a second tenant has been served, then one tenant no longer takes all slots', () => {
    const slots = createTenantSlots<string>({ capacity: 2, reservesOneForOthers: true })
    for (const item of ['a1', 'a2', 'a3', 'a4']) slots.add('a', item)
    expect([slots.take()?.item, slots.take()?.item, slots.take()]).toEqual(['a1', 'a2', undefined])
    slots.add('b', 'b1')
    slots.release('a')
    slots.release('a')
    expect([slots.take()?.item, slots.take()?.item]).toEqual(['b1', 'a3'])
    slots.release('b')
    expect(slots.isFull('a')).toBe(true)
    expect(slots.take()).toBeUndefined()
    slots.add('b', 'b2')
    expect(slots.take()?.item).toBe('b2')
  })

  it('given a withdrawn item, then it is never taken', () => {
    const slots = createTenantSlots<string>({ capacity: 1 })
    for (const item of ['a1', 'a2']) slots.add('a', item)
    expect([slots.withdraw('a', 'a1'), slots.withdraw('a', 'a1'), slots.withdraw('b', 'a2')]).toEqual([
      true,
      false,
      false,
    ])
    expect([slots.waiting('a'), slots.waiting()]).toEqual([['a2'], ['a2']])
    expect(inTurn(slots)).toEqual(['a2'])
  })
})
