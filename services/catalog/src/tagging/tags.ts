import type { Permission } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandContext, CommandHandler, NumberBlocks, Reservations } from '@assay/event-store'
import { type Clock, isoTime, type Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { type TagDocument, tagAggregate, tags } from '../tag/aggregate.ts'
import { type KnownTag, type TagState, tagNameOf } from '../tag/tag.ts'
import { assertMayLift } from './lifting.ts'

const nameScope = 'tag'
/** Attempts, and the pause between them, while a name changes its owner. */
const maxTries = 10
const pauseMilliseconds = 50
/** Maximum length of a chain of merges. */
const maxMerges = 20

export interface NewTag {
  keyId: number | null
  keyName: string | null
  value: string
  protectedData: boolean
}

/** The tags of a tenant, whose names are unique. */
export interface Tags {
  /** Creates a tag. `taken` if there is one with that name. */
  create(tenant: string, tag: NewTag, context: CommandContext): Promise<KnownTag>
  /** The tag with that name, created if it is new. */
  ensure(tenant: string, tag: NewTag, context: CommandContext): Promise<KnownTag>
  /** Throws `not-found`, `taken`, and `forbidden` if `permissions` do not allow lifting the tag's protection. */
  change(
    tenant: string,
    id: number,
    to: { name: string | undefined; protectedData: boolean | undefined },
    by: { context: CommandContext; permissions: ReadonlySet<Permission> },
  ): Promise<KnownTag>
  /** Frees the former name of a tag. */
  release(tenant: string, name: string, id: number): Promise<void>
  /** The tag of each requested id, or the tag that it was merged into. Unknown ids are left out. */
  resolve(tenant: string, ids: readonly number[]): Promise<Map<number, TagDocument>>
}

function known(state: TagState): KnownTag {
  if (state.status === 'absent') throw new AssayError('not-found', 'There is no such tag.')
  return state
}

export function createTags(deps: {
  handler: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  reservations: Reservations
  clock: Clock
  timers: Pick<Timers, 'sleep'>
}): Tags {
  const { handler, documents, numbers, reservations, clock, timers } = deps
  const now = () => isoTime(clock.now())

  async function makeAs(tenant: string, id: number, tag: NewTag, context: CommandContext): Promise<KnownTag> {
    const command = { type: 'CreateTag', tagId: id, at: now(), by: context.actor, ...tag } as const
    const { state } = await handler.handle(tagAggregate, { tenant, id, command, context })
    return known(state)
  }

  async function create(tenant: string, tag: NewTag, context: CommandContext): Promise<KnownTag> {
    const name = tagNameOf(tag)
    const [id = 0] = await numbers.take(tenant, 'tag')
    await reservations.hold(tenant, nameScope, name, String(id))
    const made = await makeAs(tenant, id, tag, context)
    await reservations.confirm(tenant, nameScope, name, String(id))
    return made
  }

  /** The tag for which the name is reserved. It is created if its creation was interrupted. */
  async function ownerOfName(tenant: string, tag: NewTag, context: CommandContext): Promise<KnownTag | undefined> {
    const name = tagNameOf(tag)
    const owner = await reservations.ownerOf(tenant, nameScope, name)
    if (owner === undefined) return undefined
    const made = await makeAs(tenant, Number(owner), tag, context)
    if (made.status !== 'active' || tagNameOf(made) !== name) return undefined
    await reservations.confirm(tenant, nameScope, name, owner)
    return made
  }

  async function ensure(tenant: string, tag: NewTag, context: CommandContext): Promise<KnownTag> {
    const name = tagNameOf(tag)
    for (let tries = 1; ; tries++) {
      const found = await ownerOfName(tenant, tag, context)
      if (found !== undefined) return found
      try {
        return await create(tenant, tag, context)
      } catch (error) {
        if (!(error instanceof AssayError && error.code === 'taken') || tries === maxTries) throw error
      }
      // Reserved for a tag with another name: a rename is in progress, or was interrupted.
      const owner = await reservations.ownerOf(tenant, nameScope, name)
      if (owner !== undefined && tries === maxTries - 1) {
        const { state } = await handler.load(tagAggregate, tenant, Number(owner))
        if (state.status !== 'absent' && (state.status !== 'active' || tagNameOf(state) !== name))
          await reservations.release(tenant, nameScope, name, owner)
      }
      if (tries > 1) await timers.sleep(pauseMilliseconds)
    }
  }

  async function change(
    tenant: string,
    id: number,
    to: { name: string | undefined; protectedData: boolean | undefined },
    { context, permissions }: Parameters<Tags['change']>[3],
  ): Promise<KnownTag> {
    const { state: before, revision } = await handler.load(tagAggregate, tenant, id)
    if (before.status !== 'active') throw new AssayError('not-found', 'There is no such tag.')
    const mayLift = to.protectedData === false
    if (mayLift) assertMayLift(before, permissions)
    const { keyName } = before
    const head = keyName === null ? '' : `${keyName}:`
    const value = to.name?.startsWith(head) ? to.name.slice(head.length).trim() : to.name
    if (value === '') throw new AssayError('invalid', 'name: must have a value after the key.')
    const oldName = tagNameOf(before)
    const newName = value === undefined ? oldName : tagNameOf({ keyName, value })
    const isRenamed = newName !== oldName
    if (isRenamed) await reservations.hold(tenant, nameScope, newName, String(id))
    const { protectedData } = to
    const command = { type: 'ChangeTag', at: now(), by: context.actor, value, protectedData } as const
    // Otherwise a tag that becomes protected after the check could lose its protection here.
    const expected = mayLift ? revision : undefined
    const request = { tenant, id, command, context, expected }
    const { state } = await handler.handle(tagAggregate, request).catch(async (error) => {
      if (isRenamed) await reservations.release(tenant, nameScope, newName, String(id))
      throw error
    })
    if (isRenamed) {
      await reservations.confirm(tenant, nameScope, newName, String(id))
      await reservations.release(tenant, nameScope, oldName, String(id))
    }
    return known(state)
  }

  async function found(tenant: string, ids: readonly number[]): Promise<Map<number, TagDocument>> {
    const all = new Map<number, TagDocument>()
    for (let from = 0; from < ids.length; from += 1000) {
      const some = ids.slice(from, from + 1000)
      const page = await documents.find(tags, tenant, { where: [{ field: 'id', in: some }], size: some.length })
      for (const tag of page.documents) all.set(tag.id, tag)
    }
    return all
  }

  return {
    create,
    ensure,
    change,
    release: (tenant, name, id) => reservations.release(tenant, nameScope, name, String(id)),
    async resolve(tenant, ids) {
      const seen = await found(tenant, [...new Set(ids)])
      for (let merges = 0; merges < maxMerges; merges++) {
        const next = [...seen.values()].flatMap(({ mergedIntoId }) =>
          mergedIntoId === null || seen.has(mergedIntoId) ? [] : [mergedIntoId],
        )
        if (next.length === 0) break
        for (const [id, tag] of await found(tenant, [...new Set(next)])) seen.set(id, tag)
      }
      const resolved = new Map<number, TagDocument>()
      for (const id of ids) {
        let tag = seen.get(id)
        for (let merges = 0; tag !== undefined && tag.mergedIntoId !== null && merges < maxMerges; merges++)
          tag = seen.get(tag.mergedIntoId)
        if (tag?.mergedIntoId === null) resolved.set(id, tag)
      }
      return resolved
    },
  }
}
