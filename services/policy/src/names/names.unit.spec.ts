import type { Reservations } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'
import { describe, expect, it } from 'vitest'
import { createPolicyNames } from './names.ts'

/** Reservations of one scope, with a hook that runs right before a release takes effect. */
function reserving(beforeRelease: () => Promise<void> = async () => {}) {
  const owners = new Map<string, string>()
  const take = async (_tenant: string, _scope: string, name: string, owner: string) => {
    if ((owners.get(name) ?? owner) !== owner) throw new AssayError('taken', 'It is taken.')
    owners.set(name, owner)
  }
  const reservations: Reservations = {
    hold: take,
    confirm: take,
    release: async (_tenant, _scope, name, owner) => {
      await beforeRelease()
      if (owners.get(name) === owner) owners.delete(name)
    },
    ownerOf: async (_tenant, _scope, name) => owners.get(name),
  }
  return { owners, reservations }
}

describe('the release of a policy name', () => {
  it('given the policy was unarchived meanwhile, then it keeps the name', async () => {
    let current: string | null = null
    const unarchive = async () => {
      await names.hold('t', 'orders', 7)
      current = 'orders'
      await names.confirm('t', 'orders', 7)
    }
    const { owners, reservations } = reserving(unarchive)
    const names = createPolicyNames(reservations, async () => current)
    await names.confirm('t', 'orders', 7)
    await names.release('t', 'orders', 7)
    expect(owners.get('orders')).toBe('7')
  })

  it('given the policy is archived or renamed, then the name is free', async () => {
    for (const current of [null, 'other']) {
      const { owners, reservations } = reserving()
      const names = createPolicyNames(reservations, async () => current)
      await names.confirm('t', 'orders', 7)
      await names.release('t', 'orders', 7)
      expect(owners.has('orders')).toBe(false)
    }
  })
})
