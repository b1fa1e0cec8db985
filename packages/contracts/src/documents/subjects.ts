import type { Operation } from '../operations/operation.ts'

/** The subjects of operations by path; the first match applies. */
const subjects: readonly [subject: string, path: RegExp][] = [
  ['Versions', /build-details|\/sdk\//],
  ['Audit', /\/audit$/],
  ['Tenants', /^\/admin\/api\/tenants/],
  ['Keys and service users', /^\/admin\/api\//],
  ['Tags and labels', /\/tags?(\/|$)|tag-associations|\/labels/],
  ['Notifications and events', /\/(watch|notifications|notification-channels|notification-rules|events)(\/|$)/],
  ['Incidents', /\/incidents(\/|$)/],
  ['Comments and votes', /\/(comments?|comment-threads|activity|vote)(\/|$)/],
  ['Samples', /\/sample\//],
  ['Profiles', /\/profiles?(\/|$)/],
  ['User-defined functions', /udf/i],
  ['Reference assets', /reference/i],
  ['Persistence of results', /persistence/i],
  ['Executions', /\/(executions?|webhook)(\/|$)/],
  ['Policies', /\/(rules|policy-groups)|rulesWithLatestExecution/],
  ['Assemblies and crawls', /\/(assemblies|crawls|crawler|connection-types|source-types|analytics-pipelines)(\/|$)/],
  ['Search and discovery', /\/assets\/(search|discover)/],
]

/** Descriptions of the subjects. */
const descriptions: Readonly<Record<string, string>> = {
  Assets: 'Folders, files, tables, views and columns: their records, children, metadata and settings.',
  'Assemblies and crawls': 'Data sources, and the crawls that turn their content into assets.',
  Audit: 'Who changed what, when and with which key.',
  'Comments and votes': 'Comments and votes on assets.',
  Executions: 'Starting policies, following their runs, and reading verdicts and rows.',
  Incidents: 'Consecutive alarms of one policy, their states, and hints at the cause.',
  'Keys and service users': 'Key pairs with permissions, for people and for programs.',
  'Notifications and events': 'Watching assets, lists of notifications, channels, and the stream of events.',
  'Persistence of results': 'Where the rows of results are stored, and in which format.',
  Policies: 'Definitions of checks, by type: create, change, schedule, enable, archive.',
  Profiles: 'Figures of every column of an asset.',
  'Reference assets': 'Assets that other assets are measured against.',
  Samples: 'The first rows of an asset.',
  'Search and discovery': 'Finding assets by name and by filters.',
  'Tags and labels': 'Tags and labels on assets and policies; tags that protect values.',
  Tenants: 'Isolated spaces within one installation.',
  'User-defined functions': 'Expressions with parameters that policies and samples share, and variables of assets.',
  Versions: 'The version of Assay, and the client versions that it supports.',
}

/** A subject as a tag of OpenAPI. Pure. */
export function taggedSubject(name: string): { name: string; description?: string } {
  const description = descriptions[name]
  return description === undefined ? { name } : { name, description }
}

/** The tag of an operation. Pure. */
export function subjectOf({ path }: Pick<Operation, 'path'>): string {
  return subjects.find(([, pattern]) => pattern.test(path))?.[0] ?? 'Assets'
}

/** All subjects with operations, in alphabetical order. */
export function subjectsOf(operations: readonly Pick<Operation, 'path'>[]): string[] {
  return [...new Set(operations.map(subjectOf))].toSorted()
}

/** Every status of an operation, its success first. */
export function statusesOf(operation: Operation): { success: number; failures: number[] } {
  const success = operation.answer || operation.file ? (operation.success ?? 200) : 204
  const permissionStatus = operation.deniedStatus ?? 403
  const failures = [400, 401, ...(operation.permissions.length > 0 ? [permissionStatus] : []), 429, ...operation.errors]
  const all = operation.body ? [...failures, 413] : failures
  return { success, failures: [...new Set(all)].toSorted((one, other) => one - other) }
}
