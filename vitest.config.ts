import { defineConfig } from 'vitest/config'

/**
 * One project per cost: `.unit` does no input or output, `.int` touches one adapter or service, `.e2e` a whole system,
 * `.server` needs a real server of another maker (`npm run test:integration`), `.deploy` programs that check what deploys
 * the product (`npm run test:deploy`), `.http` an Assay that runs already (`npm run test:http`), `.schemathesis` minutes
 * (`npm run test:schemathesis`).
 */
const project = (name: string, testTimeout: number) => ({
  test: {
    name,
    include: [`{packages,services,bench}/*/src/**/*.${name}.spec.ts`, `{tools,deploy}/**/*.${name}.spec.ts`],
    testTimeout,
    hookTimeout: 60_000,
  },
})

export default defineConfig({
  test: {
    projects: [
      project('unit', 10_000),
      project('int', 60_000),
      project('e2e', 180_000),
      project('server', 120_000),
      project('deploy', 60_000),
      project('http', 120_000),
      project('schemathesis', 3_600_000),
    ],
  },
})
