import {
  udfOperations as operations,
  type UdfTemplate,
  type UdfTemplateRequest,
  type UdfValidationRequest,
  type UdfValidationResult,
  type UdfVariableInput,
  withoutValues,
} from '@assay/contracts'
import { mayReadHidden } from '@assay/data-engine'
import { type Documents, findPage } from '@assay/documents'
import type { CommandHandler, NumberBlocks, ReadYourWrites, Reservations } from '@assay/event-store'
import {
  type Clock,
  type Identity,
  isoTime,
  type NewId,
  type Route,
  route,
  seenOf,
  type Timers,
  withDeadline,
} from '@assay/service-kit'
import { AssayError, isAssayError, isTransient } from '@assay/service-kit/errors'
import type { RequestedWork } from '@assay/work'
import { contextOf } from '../assemblies/assembly-routes.ts'
import { assetTables } from '../asset/collections.ts'
import { policiesThatUse, usesOf } from '../policy-uses/policy-uses.ts'
import { rowsOf } from '../reference-assets/measure-asset.ts'
import type { Protection } from '../tagging/protection.ts'
import { type UdfTemplateDocument, udfTemplateAggregate, udfTemplates } from '../udf-template/aggregate.ts'
import { definitionOf, type KnownTemplate, liveTemplate, type TemplateVariable } from '../udf-template/udf-template.ts'
import { udfValidationAggregate, udfValidations } from '../udf-validation/aggregate.ts'
import type { KnownValidation, ValidationTask } from '../udf-validation/udf-validation.ts'
import { expressionOf, testDataset } from './applied-template.ts'
import { preparedRows, type TemplateDeps, type Trial } from './try-template.ts'
import type { ValidationFiles } from './validation-runner.ts'

const nameScope = 'udf-template'
/** The only data plane is Assay's own engine. */
const pipelineId = 1
const checkMilliseconds = 8_000
const maxListed = 1_000

type Call = Parameters<typeof contextOf>[0] & Parameters<typeof seenOf>[0] & { identity: Identity }

function unprocessable(message: string): AssayError {
  return new AssayError('unprocessable', message)
}

const shownStatus = { open: 'IN_PROGRESS', successful: 'SUCCESSFUL', failed: 'FAILED' } as const

const hiddenRows = 'The rows have protected values: showing them requires the permission ASSET_PROTECTED_VIEW.'

function noValidation(): AssayError {
  return new AssayError('not-found', 'There is no such validation.')
}

/** The template's parameters, with the values of a request. */
function merged(own: readonly TemplateVariable[], given: readonly UdfVariableInput[]): TemplateVariable[] {
  const byKey = new Map(own.map((variable) => [variable.key, variable]))
  for (const { key, value, isColumnVariable } of given) {
    const known = byKey.get(key)
    byKey.set(key, {
      key,
      value: value ?? known?.value ?? null,
      isColumnVariable: isColumnVariable ?? known?.isColumnVariable ?? false,
    })
  }
  return [...byKey.values()]
}

/** Templates that policies can use, and their validation. */
export function udfTemplateRoutes(
  deps: TemplateDeps & {
    handler: CommandHandler
    documents: Documents
    numbers: NumberBlocks
    reservations: Reservations
    clock: Clock
    timers: Timers
    newId: NewId
    protection: Protection
    runner: RequestedWork
    files: ValidationFiles
    readYourWrites: ReadYourWrites
  },
): Route[] {
  const { handler, documents, numbers, reservations, clock, timers, newId, protection, runner, files, readYourWrites } =
    deps

  async function recordOf(tenant: string, template: UdfTemplateDocument | KnownTemplate): Promise<UdfTemplate> {
    const { id, definition, createdAt, createdBy, updatedAt, lastUpdatedBy } = template
    const { variables, ...defined } = definition
    return {
      id,
      ...defined,
      variables: variables.map(({ key }) => key),
      usedInPolices: await policiesThatUse(documents, tenant, 'udfIds', id),
      packageUdfDetail: null,
      createdAt,
      createdBy,
      updatedAt,
      lastUpdatedBy,
    }
  }

  async function stored(tenant: string, id: number): Promise<UdfTemplateDocument> {
    const found = await documents.get(udfTemplates, tenant, id)
    if (found === undefined) throw new AssayError('not-found', 'There is no such template.')
    return found.document
  }

  /** Whether the result may contain values that are protected now. */
  async function isSecret(tenant: string, { showsProtected, task }: KnownValidation): Promise<boolean> {
    if (showsProtected || task.assetId === null) return showsProtected
    const left = new Set(task.hiddenColumns)
    return (await protection.columnsOf(tenant, task.assetId, task.sourceIds)).some((name) => !left.has(name))
  }

  async function recordOfValidation(
    call: { identity: Identity },
    validation: KnownValidation,
  ): Promise<UdfValidationResult> {
    const { tenant, permissions } = call.identity
    const { requestId, status, artifact, error } = validation
    const frame = { requestId, jobExecutionStatus: shownStatus[status], result: null }
    const isHidden = !permissions.has('ASSET_PROTECTED_VIEW') && (await isSecret(tenant, validation))
    if (artifact === null) return { ...frame, errorMsg: isHidden && error !== null ? withoutValues(error) : error }
    if (isHidden) return { ...frame, errorMsg: hiddenRows }
    const result = await files.results.read(artifact)
    if (result === undefined) throw noValidation()
    return { ...frame, result, errorMsg: null }
  }

  /** The validation to run, checked as far as possible before the data is read. */
  async function trialOf(
    tenant: string,
    definition: ValidationTask['definition'] & { language: UdfTemplate['language'] },
    variables: TemplateVariable[],
    given: Pick<UdfValidationRequest, 'useTestData' | 'testData' | 'assetId' | 'selectedColumns'>,
    mayShow: boolean,
  ): Promise<Trial & { showsProtected: boolean }> {
    const { code, udfType, udfDataType, language } = definition
    if (language !== 'EXPRESSION') throw unprocessable('language: only templates in EXPRESSION can run.')
    const { useTestData = false, testData, assetId, selectedColumns = [] } = given
    if (useTestData && testData === undefined) throw unprocessable('testData: must be given if useTestData is true.')
    if (!useTestData && assetId === undefined)
      throw unprocessable('assetId: must be given, or test data with useTestData.')
    if (useTestData && testData !== undefined) testDataset(testData)
    else await rowsOf(documents, tenant, assetId ?? 0)
    const secret = useTestData ? [] : await protection.columnsOf(tenant, assetId ?? 0)
    const sourceIds = useTestData ? [] : await protection.sourcesOf(tenant, assetId ?? 0)
    const task: ValidationTask = {
      definition: { code, udfType, udfDataType },
      variables,
      assetId: useTestData ? null : (assetId ?? null),
      selectedColumns,
      hiddenColumns: mayShow ? [] : secret,
      ...(sourceIds.length === 0 ? {} : { sourceIds: [...sourceIds] }),
    }
    const text = useTestData ? (testData ?? null) : null
    return { task, testData: text, showsProtected: mayShow && secret.length > 0 }
  }

  /** Refuses code that may read hidden columns. Even if no row is shown, a failure reveals something about values. */
  async function requireUnprotectedCode({ identity: { tenant, accessKey: key }, signal }: Call, task: ValidationTask) {
    const { assetId, sourceIds } = task
    const hidden = new Set(assetId === null ? [] : await protection.columnsOf(tenant, assetId, sourceIds))
    if (assetId === null || hidden.size === 0) return
    const table = (await documents.get(assetTables, tenant, assetId))?.document
    const columns = [...new Set(table?.columns.flatMap(({ path: [column] }) => column ?? []))]
    const call = { tenant, key, signal }
    const [found] = await deps.engine.touches([{ text: expressionOf(task), form: 'expression' }], call)
    const touched = found === undefined || 'problem' in found ? undefined : found
    if (!mayReadHidden(touched, { columns, isHidden: (column) => hidden.has(column) })) return
    throw new AssayError('forbidden', 'code: may read protected columns; running it requires ASSET_PROTECTED_VIEW.')
  }

  /** Checks that the engine can prepare the code over the given rows, if the request asks for it. */
  async function requirePreparable(call: Call, request: UdfTemplateRequest): Promise<void> {
    const { enableValidation = false, useTestData = false, assetId } = request
    const definition = definitionOf(request)
    if (!enableValidation || definition.language !== 'EXPRESSION' || (!useTestData && assetId === undefined)) return
    const { tenant, permissions } = call.identity
    const mayShow = permissions.has('ASSET_PROTECTED_VIEW')
    const given = { ...request, selectedColumns: [] }
    const trial = await trialOf(tenant, definition, definition.variables, given, mayShow)
    if (!mayShow) await requireUnprotectedCode(call, trial.task)
    const late = new AssayError('unavailable', 'The source took too long to answer. Try again.')
    try {
      await withDeadline(timers, { milliseconds: checkMilliseconds, late, signals: [call.signal] }, (signal) =>
        preparedRows(deps, trial, { tenant, purpose: 'check', signal }),
      )
    } catch (error) {
      // The template is refused with the original error, so that the user can correct it and send it again.
      if (isAssayError(error) && error.code !== 'internal' && !isTransient(error)) throw unprocessable(error.message)
      throw error
    }
  }

  /**
   * Policies run with new code at once, so it must read nothing in their tables that is hidden from its author. What items
   * pass to it is checked where they are written.
   */
  async function requireUnprotectedUses(call: Call, id: number, definition: ReturnType<typeof definitionOf>) {
    const { tenant, permissions } = call.identity
    if (permissions.has('ASSET_PROTECTED_VIEW')) return
    await readYourWrites(seenOf(call, 'policy'))
    const uses = await usesOf(documents, tenant, 'udfIds', id)
    const passed = { value: 'passed', isColumnVariable: false }
    const variables = definition.variables.map((one) => (one.value === null ? { ...one, ...passed } : one))
    for (const assetId of new Set(uses.flatMap(({ assetIds }) => assetIds))) {
      const sourceIds = [...(await protection.sourcesOf(tenant, assetId))]
      const task = { definition, variables, assetId, selectedColumns: [], hiddenColumns: [], sourceIds }
      await requireUnprotectedCode(call, task)
    }
  }

  async function hold(tenant: string, name: string, id: number): Promise<void> {
    await reservations.hold(tenant, nameScope, name, String(id)).catch((error: unknown) => {
      if (isAssayError(error, 'taken')) throw unprocessable(`name: there is already a template '${name}'.`)
      throw error
    })
  }

  async function replace(call: Call, id: number, request: UdfTemplateRequest) {
    const { tenant } = call.identity
    const context = contextOf(call)
    const definition = definitionOf(request)
    const { state } = await handler.load(udfTemplateAggregate, tenant, id)
    const { name: before, code } = liveTemplate(state).definition
    if (definition.code !== code) await requireUnprotectedUses(call, id, definition)
    const isRenamed = before !== definition.name
    if (isRenamed) await hold(tenant, definition.name, id)
    const of = { udfId: id, at: isoTime(clock.now()), by: context.actor }
    const command = { type: 'UpdateUdfTemplate', ...of, definition } as const
    const written = await handler.handle(udfTemplateAggregate, { tenant, id, command, context })
    if (isRenamed) {
      await reservations.confirm(tenant, nameScope, definition.name, String(id))
      await reservations.release(tenant, nameScope, before, String(id))
    }
    return written
  }

  async function create(call: Call, request: UdfTemplateRequest) {
    const { tenant } = call.identity
    const context = contextOf(call)
    const definition = definitionOf(request)
    const owner = request.override === true ? await reservations.ownerOf(tenant, nameScope, definition.name) : undefined
    if (owner !== undefined && (await documents.get(udfTemplates, tenant, Number(owner))) !== undefined)
      return replace(call, Number(owner), request)
    const [id = 0] = await numbers.take(tenant, 'udf-template')
    await hold(tenant, definition.name, id)
    const of = { udfId: id, at: isoTime(clock.now()), by: context.actor }
    const command = { type: 'CreateUdfTemplate', ...of, definition } as const
    const written = await handler.handle(udfTemplateAggregate, { tenant, id, command, context })
    await reservations.confirm(tenant, nameScope, definition.name, String(id))
    return written
  }

  return [
    route(operations.createUdfTemplate, async (call) => {
      await requirePreparable(call, call.body)
      const { state } = await create(call, call.body)
      return { body: await recordOf(call.identity.tenant, liveTemplate(state)) }
    }),
    route(operations.listUdfTemplates, async (call) => {
      const { tenant } = call.identity
      const { isPaginated = false, sortBy } = call.query
      const [page, size] = isPaginated ? [call.query.page, call.query.size] : [0, maxListed]
      const { documents: found, count } = await findPage(documents, call, udfTemplates, {
        tenant,
        ...(sortBy === undefined ? {} : { sort: [sortBy] }),
        page,
        size,
      })
      const data = await Promise.all(found.map((template) => recordOf(tenant, template)))
      return { body: isPaginated ? { data, meta: { count, page, size } } : data }
    }),
    // Before the routes by id: `validate` is not an id.
    route(operations.getUdfValidation, async (call) => {
      const { tenant } = call.identity
      const { requestId } = call.params
      const found = await documents.get(udfValidations, tenant, requestId)
      if (found === undefined) throw noValidation()
      runner.asked(requestId)
      return { body: await recordOfValidation(call, found.document) }
    }),
    route(operations.updateUdfTemplate, async (call) => {
      const { tenant } = call.identity
      await stored(tenant, call.params.id)
      await requirePreparable(call, call.body)
      const { state } = await replace(call, call.params.id, call.body)
      return { body: await recordOf(tenant, liveTemplate(state)) }
    }),
    route(operations.deleteUdfTemplate, async (call) => {
      const { tenant } = call.identity
      const context = contextOf(call)
      const { id } = call.params
      const { definition } = await stored(tenant, id)
      await readYourWrites(seenOf(call, 'policy'))
      const [use] = await policiesThatUse(documents, tenant, 'udfIds', id)
      if (use !== undefined)
        throw unprocessable(
          `The policy '${use.ruleName}' (${use.ruleId}) uses this template. Change or archive it first.`,
        )
      const command = { type: 'DeleteUdfTemplate', udfId: id, at: isoTime(clock.now()), by: context.actor } as const
      await handler.handle(udfTemplateAggregate, { tenant, id, command, context })
      await reservations.release(tenant, nameScope, definition.name, String(id))
      return { body: undefined }
    }),
    route(operations.getUdfTemplate, async (call) => {
      const { tenant } = call.identity
      await readYourWrites(seenOf(call, 'policy'))
      return { body: await recordOf(tenant, await stored(tenant, call.params.id)) }
    }),
    route(operations.validateUdfTemplate, async (call) => {
      const { tenant, accessKey, permissions } = call.identity
      const context = contextOf(call)
      const { id } = call.params
      const { definition } = await stored(tenant, id)
      const { analyticsPipelineId, variables = [] } = call.body
      if (analyticsPipelineId !== pipelineId)
        throw unprocessable(`analyticsPipelineId: must be ${pipelineId}, the only data plane.`)
      const mayShow = permissions.has('ASSET_PROTECTED_VIEW')
      const given = merged(definition.variables, variables)
      const { task, testData, showsProtected } = await trialOf(tenant, definition, given, call.body, mayShow)
      if (!mayShow) await requireUnprotectedCode(call, task)
      const requestId = newId()
      const of = { requestId, udfId: id, at: isoTime(clock.now()), by: context.actor }
      const counted = runner.admit({ tenant, accessKey })
      const attempt = [tenant, requestId, 'test-data'] as const
      const request = async () => {
        const key = testData === null ? null : files.testData.keyOf(...attempt)
        const command = { type: 'RequestValidation', ...of, task, testData: key, showsProtected } as const
        const requested = await handler.handle(udfValidationAggregate, { tenant, id: requestId, command, context })
        // Stored after the request is in the log, because data that no validation names would never be removed.
        if (testData !== null) await files.testData.store(...attempt, testData)
        return requested
      }
      const { state } = await request().catch((error: unknown) => {
        counted.end()
        throw error
      })
      if (state.status === 'absent' || state.status === 'removed')
        throw new AssayError('internal', 'A validation was not written.')
      runner.take({ tenant, id: requestId, startedAt: of.at }, counted)
      return { body: await recordOfValidation(call, state) }
    }),
  ]
}
