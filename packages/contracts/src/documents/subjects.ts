import type { Operation } from '../operations/operation.ts'

/** What operations are about, and how their paths tell; the first that fits is taken. */
const subjects: readonly [subject: string, path: RegExp][] = [
  ['Versions', /build-details|\/sdk\//],
  ['Audit', /\/audit$/],
  ['Tenants', /^\/admin\/api\/tenants/],
  ['Keys and service users', /^\/admin\/api\//],
  ['Tags and labels', /\/tags?(\/|$)|tag-associations|\/labels/],
  ['Notifications and events', /\/(watch|notifications|notification-channels|events)(\/|$)/],
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

/** The tag of an operation. Pure. */
export function subjectOf({ path }: Pick<Operation, 'path'>): string {
  return subjects.find(([, pattern]) => pattern.test(path))?.[0] ?? 'Assets'
}

/** All subjects that have operations, in alphabetical order. */
export function subjectsOf(operations: readonly Pick<Operation, 'path'>[]): string[] {
  return [...new Set(operations.map(subjectOf))].toSorted()
}

/** Every status that an operation answers, its success first. */
export function statusesOf(operation: Operation): { success: number; failures: number[] } {
  const success = operation.answer || operation.file ? (operation.success ?? 200) : 204
  const permissionStatus = operation.deniedStatus ?? 403
  const failures = [400, 401, ...(operation.permissions.length > 0 ? [permissionStatus] : []), 429, ...operation.errors]
  const all = operation.body ? [...failures, 413] : failures
  return { success, failures: [...new Set(all)].toSorted((one, other) => one - other) }
}
