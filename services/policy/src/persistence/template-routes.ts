import {
  categoriesProblem,
  defaultTemplate,
  persistenceOperations as operations,
  type RecordType,
  resolveTemplate,
  segmentOf,
  type TemplateContext,
  templateProblem,
} from '@assay/contracts'
import { type Clock, isoTime, type NewId, type Route, route } from '@assay/service-kit'
import { refusal } from '../definition/refusal.ts'
import { variables } from './variables.ts'

const recordTypeOf = { good: 'GOOD', bad: 'BAD', metadata: 'SUMMARY' } as const satisfies Record<string, RecordType>

/** Checks and previews templates before they are saved. */
export function templateRoutes({ clock, newId }: { clock: Clock; newId: NewId }): Route[] {
  return [
    route(operations.listPersistenceVariables, async () => ({ body: { variables: [...variables] } })),
    route(operations.previewPersistenceTemplate, async (call) => {
      const { suffixTemplate, sampleContext: given } = call.body
      const problem = templateProblem(suffixTemplate)
      if (problem !== undefined) throw refusal('suffixTemplate', problem)
      const policyType = given?.policyType ?? 'DATA_QUALITY'
      const contextUsed: TemplateContext = {
        policyType,
        policyName: given?.policyName ?? 'orders are sound',
        policyId: given?.policyId ?? 1,
        executionId: given?.executionId ?? 1,
        executionDateTime: given?.executionDateTime ?? clock.now(),
        requestId: given?.requestId ?? `${segmentOf(policyType)}-${newId()}`,
        recordType: given?.recordType ?? recordTypeOf[call.params.category],
        assetName: given?.assetName ?? 'orders.csv',
        datasourceName: given?.datasourceName ?? 'sales',
      }
      const startedAt = isoTime(contextUsed.executionDateTime)
      return { body: { resolvedSuffix: resolveTemplate(suffixTemplate, { ...contextUsed, startedAt }), contextUsed } }
    }),
    route(operations.validatePersistenceConfig, async (call) => {
      const { categoriesConfig, requireMetadata = false } = call.body
      return { body: validationOf(categoriesConfig, requireMetadata) }
    }),
  ]
}

interface Tried {
  good: { suffixTemplate: string }
  bad: { suffixTemplate: string }
  metadata?: { suffixTemplate: string } | undefined
}

/** The problems of each template or, if there are none, of their combination. Metadata has a default template. Pure. */
export function validationOf({ good, bad, metadata }: Tried, requireMetadata: boolean) {
  const metadataProblem =
    metadata === undefined
      ? requireMetadata && 'must be there with a suffixTemplate'
      : templateProblem(metadata.suffixTemplate)
  const problems = {
    good: templateProblem(good.suffixTemplate) ?? null,
    bad: templateProblem(bad.suffixTemplate) ?? null,
    metadata: metadataProblem || null,
  }
  if (problems.good === null && problems.bad === null && problems.metadata === null) {
    const clash = categoriesProblem({
      good: good.suffixTemplate,
      bad: bad.suffixTemplate,
      metadata: metadata?.suffixTemplate ?? defaultTemplate,
    })
    if (clash !== undefined) problems[clash.category] = clash.message
  }
  const wrong = Object.entries(problems).flatMap(([category, problem]) =>
    problem === null ? [] : [`${category}: ${problem}`],
  )
  return wrong.length === 0
    ? { valid: true, error: null, categoryErrors: null }
    : { valid: false, error: wrong.join('; '), categoryErrors: problems }
}
