import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * One project per cost: `.unit` does no input or output, `.int` touches one adapter or service, `.e2e` a whole system,
 * `.server` needs the servers of the distributed form (`npm run test:integration`; real ones, but for the event store a
 * server of ours with its protocol; those of `deploy/native/faults` run one after the other, after the others), `.deploy`
 * programs that check what deploys the product (`npm run test:deploy`), `.http` an Assay that runs already
 * (`npm run test:http`), `.schemathesis` minutes (`npm run test:schemathesis`), `.image` a container engine
 * (`npm run test:image`), `.trino` a Trino server of 800 MB (`npm run test:trino`).
 */
const project = (name: string, testTimeout: number, isSmall = false) => ({
  test: {
    name,
    // Small tests keep no state in modules, so each module is loaded once instead of once per file, which saves most of their
    // time. Node loads the modules, as in the product, because vite would first transform each of them.
    isolate: !isSmall,
    experimental: { viteModuleRunner: !isSmall },
    include: [`{packages/*,services/*,bench}/src/**/*.${name}.spec.ts`, `{tools,deploy}/**/*.${name}.spec.ts`],
    testTimeout,
    hookTimeout: 60_000,
  },
})

/** The checker's own test is not among them: it plants losses after the services have stopped. */
const faults = 'deploy/native/faults/!(checker).server.spec.ts'

/** Files of minutes with little text: vitest, which begins with the largest, would begin them last. */
const longest = [
  'deploy/native/http.server',
  'services/standalone/src/schemathesis.server',
  'services/standalone/src/mixtures-secured.server',
  'services/standalone/src/mixtures.server',
  'packages/documents/src/mongodb/documents.server',
  'deploy/native/backup.server',
  'packages/hosting/src/distributed.server',
  'deploy/native/results.server',
  'packages/message-bus/src/kafka/cluster.server',
  'services/standalone/src/http.e2e',
]

/** A long file that begins last would run alone, with the other cores idle. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.endsWith(`/${name}.spec.ts`))
      return at < 0 ? longest.length : at
    }
    return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}

export default defineConfig({
  test: {
    // One more than cores, because tests of processes and servers wait for them part of their time.
    maxWorkers: Math.max(2, availableParallelism()) + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      project('unit', 10_000, true),
      project('int', 60_000, true),
      project('e2e', 180_000),
      {
        // Without the defaults, the search for tests would follow all links of all node_modules, which takes a minute.
        test: { ...project('server', 120_000).test, exclude: [...configDefaults.exclude, faults] },
      },
      {
        test: {
          ...project('faults', 120_000).test,
          include: [faults],
          // Each has all services and servers, and holds them to limits of time: two concurrent ones would be a test of the machine.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      project('deploy', 60_000),
      project('http', 120_000),
      project('schemathesis', 3_600_000),
      project('image', 1_800_000),
      {
        // Each file starts a server of a gigabyte.
        test: { ...project('trino', 120_000).test, fileParallelism: false },
      },
    ],
  },
})
