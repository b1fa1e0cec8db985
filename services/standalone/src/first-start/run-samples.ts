import { type ExecutionResult, executionKinds, policyKinds } from '@assay/contracts'
import type { Narrator } from './crawl-sources.ts'
import type { InProcess } from './in-process.ts'
import { samplePolicies } from './samples.ts'
import { policyNames } from './samples-wanted.ts'

/** Creates missing sample policies, runs them, and prints their findings. Returns the id of the first run. */
export async function runSamples(
  client: InProcess,
  narrator: Narrator,
  pause: () => Promise<void>,
): Promise<number | undefined> {
  const runs: number[] = []
  const made = new Set(await policyNames(client))
  for (const { uid, rule, items } of samplePolicies.filter(({ rule }) => !made.has(rule.name))) {
    const created = await client.call(policyKinds.DATA_QUALITY.create, {
      body: { rule: { ...rule, backingAsset: { tableAssetUid: uid } }, items },
    })
    const run = await client.call(executionKinds.DATA_QUALITY.start, {
      params: { id: String(created.rule.id) },
      body: {},
    })
    runs.push(run.execution.id)
  }
  for (const id of runs) {
    const result = await ended(client, id, narrator, pause)
    narrator.say(`\n${result.execution.ruleName}: ${result.result.status}${scoreText(result)}`)
    for (const item of result.items) narrator.say(itemLine(item))
  }
  return runs[0]
}

async function ended(
  client: InProcess,
  id: number,
  narrator: Narrator,
  pause: () => Promise<void>,
): Promise<ExecutionResult> {
  for (;;) {
    const result = await client.call(executionKinds.DATA_QUALITY.result, { params: { id: String(id) } })
    if (result.execution.executionStatus !== 'RUNNING') return result
    narrator.progress(`Running '${result.execution.ruleName}' ...`)
    await pause()
  }
}

function scoreText({ result, execution }: ExecutionResult): string {
  if (execution.executionError) return ` (${execution.executionError})`
  return `, score ${result.qualityScore ?? '-'}, ${result.failedRows ?? 0} bad of ${result.rows ?? 0} rows`
}

function itemLine(item: ExecutionResult['items'][number]): string {
  const found =
    item.error ??
    (item.rowsFailed === null
      ? `value ${item.value}`
      : `${item.rowsFailed} of ${item.rowsScanned} rows fail (${item.resultPercentage} %)`)
  return `  ${(item.status ?? '').padEnd(10)} ${item.name}: ${found}`
}
