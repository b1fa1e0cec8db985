// The dependency rules of docs/architecture.md. tools/check-dependencies.mjs runs them and asserts that files were read.
const spec = '\\.(unit|int|e2e|server|trino)\\.spec\\.ts$|\\.features\\.ts$|\\.fixture\\.ts$|/testing/|/testkit/'
module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'packages-know-no-service',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^services/' },
    },
    {
      name: 'services-know-no-service',
      comment: 'Only standalone puts services together.',
      severity: 'error',
      from: { path: '^services/(?!standalone/)([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'ports-load-no-driver',
      comment: 'The root entry of a port and what it loads stays free of technology.',
      severity: 'error',
      from: {
        path: '^packages/(event-store|message-bus|documents|artifacts|data-engine)/src/[^/]+\\.ts$',
        pathNot: spec,
      },
      to: {
        path: '/src/(sqlite|embedded|filesystem|duckdb|postgres|mysql|mongodb|kafka|eventstoredb|s3)/|^packages/sqlite/|@duckdb|node:sqlite|node_modules/(pg|mysql2)/',
      },
    },
    {
      name: 'services-load-no-adapter',
      comment: 'Technology appears in main.ts and adapters only.',
      severity: 'error',
      from: { path: '^services/(?!standalone/)[^/]+/src/', pathNot: `${spec}|/main\\.ts$|/testing/` },
      to: {
        path: '^packages/(sqlite/|[^/]+/src/(sqlite|embedded|filesystem|duckdb|postgres|mysql|mongodb|kafka|eventstoredb|s3)/)|node:sqlite|@duckdb|node_modules/(pg|mysql2)/',
      },
    },
    {
      name: 'children-load-little',
      comment:
        'A process of the engine starts for each piece of work. With all of the kit, it loads twice the modules.',
      severity: 'error',
      from: { path: '^packages/data-engine/src/duckdb/child/main\\.ts$' },
      to: { path: '^packages/(service-kit|contracts)/src/index\\.ts$', reachable: true },
    },
    {
      name: 'deciders-are-pure',
      severity: 'error',
      from: { path: '/decide\\.ts$' },
      to: { path: '^node:|node_modules/(express|pino)|/adapters/', pathNot: 'node:crypto' },
    },
    {
      name: 'tests-stay-tests',
      severity: 'error',
      from: { pathNot: `${spec}|^bench/` },
      to: { path: spec },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.cjs', '.json'],
    },
  },
}
