import { catalogOperations } from '@assay/contracts'
import { type Documents, findPage } from '@assay/documents'
import {
  type CommandContext,
  type CommandHandler,
  type NumberBlocks,
  type Reservations,
  stateText,
} from '@assay/event-store'
import {
  type Call,
  type Clock,
  commandContext,
  isoTime,
  type Logger,
  type Route,
  route,
  type Sealer,
  type Timers,
} from '@assay/service-kit'
import { AssayError, messageOf } from '@assay/service-kit/errors'
import { assemblies, assemblyAggregate, assemblyDocumentOf } from '../assembly/aggregate.ts'
import type { AssemblyState, KnownAssembly } from '../assembly/assembly.ts'
import type { Crawler } from '../crawling/crawler.ts'
import { sourceTypeNamed, sourceTypes } from '../types/source-types.ts'
import { definitionOf, sourceTypeIdOf } from './definition.ts'
import { findAssembly, findFormerPrefix } from './find-assembly.ts'
import type { Removal } from './removal.ts'
import type { SourceCheck } from './source-check.ts'

const nameScope = 'assembly'
/** Maximum time until a delete is answered, in milliseconds. Marking the assets then continues in the background. */
const removalMilliseconds = 5_000

/** The actor of a call. */
export function contextOf(call: Pick<Call<never>, 'identity' | 'requestId'>): CommandContext {
  return commandContext(call)
}

function known(state: AssemblyState): KnownAssembly {
  if (state.status === 'absent') throw new AssayError('not-found', 'There is no such assembly.')
  return state
}

export function assemblyWriteRoutes(deps: {
  handler: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  reservations: Reservations
  crawler: Crawler
  removal: Removal
  sourceCheck: SourceCheck
  sealer: Sealer
  clock: Clock
  timers: Timers
  logger: Logger
}): Route[] {
  const { handler, documents, numbers, reservations, crawler, removal, sourceCheck, sealer, clock, timers, logger } =
    deps
  const now = () => isoTime(clock.now())
  const sealFor = (tenant: string) => (secret: string) => sealer.seal(secret, tenant)

  async function within(milliseconds: number, work: Promise<void>): Promise<void> {
    const waiting = new AbortController()
    await Promise.race([work, timers.sleep(milliseconds, waiting.signal)])
    waiting.abort()
  }

  const create = route(catalogOperations.createAssembly, async (call) => {
    const { tenant, user } = call.identity
    const context = contextOf(call)
    const definition = definitionOf(call.body, sealFor(tenant))
    const { name } = definition
    // Checked before the source is opened, because that takes long; the reservation decides.
    if ((await reservations.ownerOf(tenant, nameScope, name)) !== undefined)
      throw new AssayError('taken', `The name "${name}" is already in use. Choose another.`)
    await sourceCheck.open(definition.source, { tenant, signal: call.signal })
    const [id = 0] = await numbers.take(tenant, 'assembly')
    await reservations.hold(tenant, nameScope, name, String(id))
    const uidPrefix = (await findFormerPrefix(documents, tenant, name)) ?? name
    const sourceTypeId = sourceTypeIdOf(definition)
    const base = { at: now(), by: user, assemblyId: id, definition, sourceTypeId, uidPrefix }
    const command = { type: 'CreateAssembly', ...base } as const
    const { state } = await handler.handle(assemblyAggregate, { tenant, id, command, context })
    await reservations.confirm(tenant, nameScope, name, String(id))
    try {
      await crawler.start(tenant, id, context)
    } catch (error) {
      // The assembly exists; its crawl can be started by hand.
      logger.error({ tenant, assemblyId: id, error: messageOf(error) }, 'The first crawl could not be started.')
    }
    return { body: { data: assemblyDocumentOf(known(state), tenant).record } }
  })

  const update = route(catalogOperations.updateAssembly, async (call) => {
    const { tenant, user } = call.identity
    const { id } = call.params
    const { state: before } = await handler.load(assemblyAggregate, tenant, id)
    // A malformed request is refused as malformed, even if the assembly does not exist.
    const definition = definitionOf(
      call.body,
      sealFor(tenant),
      before.status === 'active' ? before.definition : undefined,
    )
    if (before.status !== 'active') throw new AssayError('not-found', 'There is no such assembly.')
    const { name } = definition
    const isRenamed = name !== before.definition.name
    await sourceCheck.open(definition.source, { tenant, signal: call.signal })
    if (isRenamed) await reservations.hold(tenant, nameScope, name, String(id))
    const sourceTypeId = sourceTypeIdOf(definition)
    const command = { type: 'UpdateAssembly', at: now(), by: user, definition, sourceTypeId } as const
    const context = contextOf(call)
    const request = { tenant, id, command, context }
    const { state } = await handler.handle(assemblyAggregate, request).catch(async (error) => {
      if (isRenamed) await reservations.release(tenant, nameScope, name, String(id))
      throw error
    })
    if (isRenamed) {
      await reservations.confirm(tenant, nameScope, name, String(id))
      await reservations.release(tenant, nameScope, before.definition.name, String(id))
    }
    return { body: { data: assemblyDocumentOf(known(state), tenant).record } }
  })

  const remove = route(catalogOperations.deleteAssembly, async (call) => {
    const { tenant, user } = call.identity
    const { id } = call.params
    const command = { type: 'DeleteAssembly', at: now(), by: user } as const
    const { state, revision } = await handler.handle(assemblyAggregate, {
      tenant,
      id,
      command,
      context: contextOf(call),
    })
    await reservations.release(tenant, nameScope, known(state).definition.name, String(id))
    const work = crawler
      .abortOf(tenant, id, 'The assembly was deleted while the crawl ran.')
      .then(() => removal.remove(tenant, id))
    await within(removalMilliseconds, work)
    // The removal of many assets leaves no room for it among the states that are reported.
    return { states: [stateText('assembly', id, revision)] }
  })

  const test = route(catalogOperations.testAssembly, async (call) => {
    const { source } = definitionOf(call.body, sealFor(call.identity.tenant))
    return { body: { data: await sourceCheck.test(source, { tenant: call.identity.tenant, signal: call.signal }) } }
  })

  return [create, update, remove, test]
}

export function assemblyReadRoutes(deps: { documents: Documents }): Route[] {
  const { documents } = deps
  return [
    route(catalogOperations.listAssemblies, async (call) => {
      const { page, size, sortBy, sourceType } = call.query
      if (sourceType !== undefined && sourceTypeNamed(sourceType.toUpperCase()) === undefined)
        throw new AssayError('invalid', `sourceType: must be one of ${sourceTypes.map(({ name }) => name).join(', ')}.`)
      const { documents: found, count } = await findPage(documents, call, assemblies, {
        tenant: call.identity.tenant,
        where: [
          { field: 'status', is: 'active' },
          ...(sourceType === undefined ? [] : [{ field: 'sourceType', is: sourceType.toUpperCase() }]),
        ],
        ...(sortBy === undefined ? {} : { sort: [sortBy] }),
        page,
        size,
      })
      return { body: { data: found.map(({ record }) => record), meta: { count, page, size } } }
    }),
    route(catalogOperations.getAssembly, async (call) => {
      const { document, source } = await findAssembly(documents, call.identity.tenant, call.params.identifier)
      const { record } = document
      const data = call.query.properties === true ? { ...record, assemblyProperties: record.configuration } : record
      return { body: { data }, states: source && [stateText('assembly', record.id, source.revision)] }
    }),
  ]
}
