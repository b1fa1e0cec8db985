import type { Artifacts } from '@assay/artifacts'
import { type ArtifactChoice, chooseArtifacts } from '../adapters/artifacts.ts'
import { createResultsCheck } from '../adapters/readiness.ts'
import { type Ambient, createHostWithBus, type Hosted, type HostWithBus } from './host.ts'

export interface HostWithArtifacts extends HostWithBus {
  artifacts: Artifacts
}

/**
 * The host of a service that stores files. `isVital` (default true): the service is ready only if the store of files
 * answers. Throws `unavailable` if a server does not answer.
 */
export async function createHostWithArtifacts(
  config: ArtifactChoice & Parameters<typeof createHostWithBus>[0],
  hosted: Hosted,
  ambient: Ambient,
  { isVital = true }: { isVital?: boolean } = {},
): Promise<HostWithArtifacts> {
  const artifacts = await chooseArtifacts(config, ambient)
  try {
    // If the folder is unusable, startup waits and logs the reason. Exiting would cause a crash loop.
    await artifacts.check()
    const host = await createHostWithBus(config, hosted, ambient)
    const resultsProblems = createResultsCheck(artifacts, ambient.timers)
    const problems = async () => (await Promise.all([host.problems(), isVital ? resultsProblems() : []])).flat()
    const keeping = {
      name: 'artifacts',
      start: () => artifacts.sweep(),
      stop: () => artifacts.close(),
      stopWithinMs: 1_000,
    }
    return { ...host, artifacts, problems, parts: [...host.parts, keeping] }
  } catch (error) {
    await artifacts.close()
    throw error
  }
}
