import { qualityRuleOf, type RuleWithExecution } from '@assay/contracts'
import { type Asking, type Condition, type Documents, findPage, findPageInParts, type Query } from '@assay/documents'
import { executionPolicies } from '../copies/policies.ts'
import { executions } from '../execution/execution.documents.ts'
import { policyRunsCollection } from '../policy-runs/policy-runs.documents.ts'
import type { PolicyRuns } from '../policy-runs/policy-runs.ts'
import { ruleExecutionResultOf } from '../reading/execution-result.ts'
import type { ShownExecution, ShownRuns } from '../reading/masked-outcomes.ts'
import { ruleExecutionOf } from '../reading/rule-execution.ts'
import { runFiguresOf } from '../reading/run-figures.ts'
import type { Viewer } from '../rows/mask.ts'
import type { NoteEnds } from './note-ends.ts'

export interface Paging {
  page: number
  size: number
  sortBy?: { field: string; direction: 'asc' | 'desc' } | undefined
}

/** The caller of a listing. */
export type Lister = Asking & Viewer

/** Pages of policies, each with its latest run. */
export interface PolicyPages {
  /** One row per policy; newest change first by default. */
  latest(
    call: Lister,
    where: readonly Condition[],
    paging: Paging,
  ): Promise<{ rows: RuleWithExecution[]; count: number }>
  /** One row per run; newest first by default. `where` filters runs. */
  runs(call: Lister, where: readonly Condition[], paging: Paging): Promise<{ rows: RuleWithExecution[]; count: number }>
}

/** The field of a run for each sort field of a policy. A run's policy never changes, so its id stands for the rest. */
const runFields: Readonly<Record<string, string>> = {
  name: 'ruleName',
  startedAt: 'startedAt',
  finishedAt: 'finishedAt',
  executionStatus: 'executionStatus',
  resultStatus: 'resultStatus',
}

export function createPolicyPages(deps: {
  documents: Pick<Documents, 'find'>
  noteEnds: NoteEnds
  shownRuns: ShownRuns
}): PolicyPages {
  const { documents, noteEnds, shownRuns } = deps

  async function byId(call: Lister, ids: readonly number[]): Promise<Map<number, ShownExecution>> {
    if (ids.length === 0) return new Map()
    const { tenant } = call.identity
    const found = await documents.find(executions, tenant, { where: [{ field: 'id', in: ids }], size: ids.length })
    return new Map((await shownRuns.all(call, found.documents)).map((state) => [state.run.executionId, state]))
  }

  async function policiesById(tenant: string, ids: readonly number[]) {
    if (ids.length === 0) return new Map()
    const found = await documents.find(executionPolicies, tenant, {
      where: [{ field: 'id', in: ids }],
      size: ids.length,
    })
    return new Map(found.documents.map(({ policy }) => [policy.rule.id, policy]))
  }

  return {
    latest: async (call, where, { page, size, sortBy }) => {
      const { tenant } = call.identity
      if (!call.isPart || page === 0) await noteEnds(tenant)
      const sort: Query['sort'] = [sortBy ?? { field: 'updatedAt', direction: 'desc' }]
      const found = await findPage(documents, call, policyRunsCollection, { tenant, where, sort, page, size })
      const runs = await byId(call, [...new Set(found.documents.flatMap(runIdsOf))])
      const policies = await policiesById(
        tenant,
        found.documents.flatMap(({ policy }) => (policy ? [policy.id] : [])),
      )
      const rows = found.documents.flatMap((document): RuleWithExecution[] => {
        // The policy's local read model is stored shortly after its entry in the list.
        const policy = document.policy && policies.get(document.policy.id)
        if (!policy) return []
        const state = runIdsOf(document).flatMap((id) => runs.get(id) ?? [])[0]
        return [rowOf(policy, state)]
      })
      return { rows, count: found.count }
    },
    runs: async (call, where, { page, size, sortBy }) => {
      const { tenant } = call.identity
      const sort: Query['sort'] = [
        sortBy
          ? { field: runFields[sortBy.field] ?? 'id', direction: sortBy.direction }
          : { field: 'startedAt', direction: 'desc' },
      ]
      const rows: RuleWithExecution[] = []
      let count = 0
      for await (const found of findPageInParts(documents, call, executions, { tenant, where, sort, page, size })) {
        const policies = await policiesById(tenant, [...new Set(found.documents.map(({ run }) => run.policy.id))])
        for (const state of await shownRuns.all(call, found.documents)) {
          const policy = policies.get(state.run.policy.id)
          if (policy) rows.push(rowOf(policy, state))
        }
        count = found.count
      }
      return { rows, count }
    },
  }
}

/** The open run, which may not be accepted yet, then the run that ended last. */
function runIdsOf({ open, latest }: PolicyRuns): number[] {
  return [...(open ? [open.executionId] : []), ...(latest ? [latest.executionId] : [])]
}

function rowOf(policy: Parameters<typeof qualityRuleOf>[0], state: ShownExecution | undefined): RuleWithExecution {
  return {
    rule: qualityRuleOf(policy),
    execution: state ? ruleExecutionOf(state) : null,
    result: state ? ruleExecutionResultOf(state) : null,
    ...runFiguresOf(state),
    childExecutions: null,
  }
}
