import type { AssayProcess } from '@assay/testkit'
import { expect } from 'vitest'

const api = '/catalog-server/api'

/** Calls of tests with a database as a source. `assay`: the running system. */
export function sourceCalls(assay: () => AssayProcess) {
  /** A call that must be answered 200. Returns the body. */
  async function good(method: string, path: string, body?: unknown) {
    const answer = await assay().call(method, path, body)
    expect(answer.status, `${path}: ${answer.text}`).toBe(200)
    return answer.json
  }
  return {
    good,
    /** Starts a run of a policy, and returns its result when it has ended. */
    async ended(kind: string, policy: number, request: object) {
      const { execution } = await good('POST', `${api}/rules/${kind}/${policy}/executions`, request)
      const { json } = await assay().until(
        `${api}/rules/${kind}/executions/${execution.id}/result`,
        ({ status, json: result }) =>
          status === 200 && !/RUNNING|WAITING|STARTED/.test(result.execution.executionStatus),
      )
      return json
    },
    /** Makes a SQL view and a policy on it, whose item finds missing values of the column `n`. Returns the policy's id. */
    async policyOnView(assemblyId: number, query: string): Promise<number> {
      const details = { queryType: 'SQL_QUERY', description: 'd', query }
      const asset = { name: 'over', assemblyId }
      const { data } = await good('POST', `${api}/custom-assets/sql-view`, { data: { asset, details } })
      const rule = { name: 'rows have a name', backingAsset: { tableAssetId: data.customAsset.id } }
      const items = [{ name: 'n', measurementType: 'MISSING_VALUES', columnName: 'n' }]
      return (await good('POST', `${api}/rules/data-quality`, { rule, items })).rule.id
    },
    /** The newest crawl of an assembly, when all have ended. */
    async crawled(assembly: number) {
      const { json } = await assay().until(
        `${api}/assemblies/${assembly}/crawls`,
        ({ json: { data } }) => data.every(({ status }: { status: string }) => status !== 'RUNNING') && data.length > 0,
      )
      return json.data[0]
    },
  }
}

/** The scanned and failed rows of each item. */
export function itemCounts(result: { execution: object; items: { rowsScanned: number; rowsFailed: number }[] }) {
  expect(result.execution).toEqual(expect.objectContaining({ executionError: null }))
  return result.items.map(({ rowsScanned, rowsFailed }) => [rowsScanned, rowsFailed])
}
