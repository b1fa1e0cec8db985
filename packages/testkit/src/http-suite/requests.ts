import { exampleOf, type Operation } from '@assay/contracts'
import { type Fixtures, newUniqueName, ruleTo, viewOfPeople } from './fixtures.ts'
import { policyBody, policyKinds } from './policy-bodies.ts'

/**
 * The fixture of a path parameter, by the path up to and including the parameter. The first match applies. Add a line
 * for a new kind of id.
 */
const rules: readonly [RegExp, string][] = [
  [/\/versions\/\{a\}$/, 'version'],
  [/\/changes\/\{b\}$/, 'version'],
  [/\/byAsset\/\{\w+\}$/, 'assetId'],
  [/\/assemblies\/\{\w+\}$/, 'assemblyId'],
  [/\/crawls\/\{\w+\}$/, 'crawlId'],
  [/\/udf-variables\/\{\w+\}$/, 'variableId'],
  [/\/udf\/template\/validate\/result\/\{\w+\}$/, 'validationId'],
  [/\/udf\/template\/\{\w+\}$/, 'templateId'],
  [/\/sql-view\/\{\w+\}$/, 'viewId'],
  [/\/reference-assets\/jobs\/\{\w+\}$/, 'jobId'],
  [/\/profile\/\{\w+\}$/, 'profileId'],
  [/\/sample\/(result\/)?\{\w+\}$/, 'requestId'],
  [/\/byUid\/\{\w+\}$/, 'assetUid'],
  [/\/(assets|reference-assets)\/\{\w+\}$/, 'assetId'],
  [/\/tag-associations\/entity\/\{\w+\}$/, 'assetId'],
  [/\/tags?\/\{\w+\}$/, 'tagId'],
  [/\/tags\/v1\/keys\/\{\w+\}$/, 'tagKeyId'],
  [/\/comments\/\{\w+\}$/, 'commentId'],
  [/\/crawler\/\{\w+\}$/, 'assemblyName'],
  [/\/analytics-pipelines\/\{\w+\}$/, 'noPipeline'],
  [/\/api-keys?\/\{\w+\}$/, 'accessKey'],
  [/\/users\/\{\w+\}$/, 'userName'],
  [/\/service-users\/\{\w+\}$/, 'serviceUserId'],
  [/\/incidents\/\{\w+\}$/, 'incidentId'],
  [/\/notifications\/\{\w+\}$/, 'notificationId'],
  [/\/watches\/\{\w+\}$/, 'watchId'],
  [/\/notification-channels\/\{\w+\}$/, 'channelId'],
  [/\/deliveries\/\{\w+\}$/, 'deliveryId'],
  [/\/notification-rules\/\{\w+\}$/, 'notificationRuleId'],
  [/\/notification-mutes\/\{\w+\}$/, 'muteId'],
  [/\/persistence\/configs\/preview\/\{\w+\}$/, 'category'],
  [/\/persistence\/configs\/\{\w+\}$/, 'storageId'],
  [/\/webhook\/rules\/executions\/\{\w+\}$/, 'data-qualityId'],
  [/\/executions?\/\{\w+\}$/, 'executionId'],
  [/\/rules\/byName\/\{\w+\}$/, 'data-qualityName'],
  [/\/rules\/\{\w+\}$/, 'data-qualityId'],
  ...policyKinds.flatMap((kind): [RegExp, string][] => [
    [new RegExp(`/rules/${kind}/byName/\\{\\w+\\}$`), `${kind}Name`],
    // Existing clients write some kinds with an underscore.
    [new RegExp(`/rules/${kind.replace('-', '[-_]')}/\\{\\w+\\}$`), `${kind}Id`],
  ]),
]

const parameter = /\{\w+\}/g

/** The fixtures for the path parameters of an operation, in order. Throws if a parameter has none. */
export function fixturesIn({ id, path }: Operation): string[] {
  return [...path.matchAll(parameter)].map((found) => {
    const until = path.slice(0, found.index + found[0].length)
    const name = rules.find(([pattern]) => pattern.test(until))?.[1]
    if (name === undefined)
      throw new Error(
        `${id}: the fixture for ${found[0]} in ${path} is not declared. Add a line to packages/testkit/src/http-suite/requests.ts, and create the fixture in fixtures.ts if it is new.`,
      )
    return name
  })
}

/** Whether the path of an operation identifies a thing. */
export function namesAThing(operation: Operation): boolean {
  return fixturesIn(operation).some((name) => name !== 'category' && name !== 'version')
}

/** The path of an operation with its fixtures; `instead` replaces the parameter at index `index`, or the last one. */
export function pathOf(operation: Operation, fixtures: Fixtures, instead?: string, index?: number): string {
  const names = fixturesIn(operation)
  const replaced = index ?? names.length - 1
  let at = -1
  return operation.path.replace(parameter, () => {
    at += 1
    const name = names[at] ?? ''
    const value = instead !== undefined && at === replaced ? instead : fixtures[name]
    if (value === undefined)
      throw new Error(
        `${operation.id}: there is no fixture '${name}'. Add it to packages/testkit/src/http-suite/fixtures.ts.`,
      )
    return value
  })
}

/** The fixtures with ids and names of things that do not exist. */
export function missingOf(fixtures: Fixtures): Fixtures {
  const absent = Object.entries(fixtures).map(([name, value]) => [
    name,
    // Fixtures that are not ids.
    ['folder', 'uniqueName', 'category', 'version'].includes(name)
      ? value
      : /^\d+$/.test(value)
        ? String(999_000_000 + Number(value))
        : 'not-there',
  ])
  return { ...fixtures, ...Object.fromEntries(absent) }
}

/** Bodies that must name existing things. */
const bodies: readonly [RegExp, (fixtures: Fixtures) => unknown][] = [
  [
    /\/assemblies(\/test|\/\{id\})?$/,
    ({ uniqueName, folder }) => ({ name: uniqueName, sourceType: 'FILE', configuration: { path: folder } }),
  ],
  [/\/api-keys$/, () => ({ displayName: 'a key', validTill: '2099-01-01', permissions: ['ASSET_VIEW'] })],
  [/\/tenants$/, () => ({ name: 'default' })],
  [
    /\/sql-view(\/\{id\})?$/,
    ({ assemblyId = '0' }) => ({
      data: { asset: { name: newUniqueName(), assemblyId: Number(assemblyId) }, ...viewOfPeople },
    }),
  ],
  [/\/notification-rules$/, ({ sharedChannelId }) => ruleTo(sharedChannelId)],
  [/\/dry-run$/, ({ assetId = '0' }) => ({ kind: 'EXECUTION_ERRORED', assetId: Number(assetId) })],
  [/\/validate\/async$/, ({ assetId = '0' }) => ({ assetId: Number(assetId), analyticsPipelineId: 1 })],
  ...policyKinds.map((kind): [RegExp, (fixtures: Fixtures) => unknown] => [
    new RegExp(`/rules/${kind}(/\\{id\\}|/byName/\\{name\\})?$`),
    ({ uniqueName, assetId = '0' }) => policyBody(kind, { uniqueName, assetId }),
  ]),
]

/** A body that the operation's schema accepts; `undefined` for an operation without a body. */
export function bodyOf(operation: Operation, fixtures: Fixtures): unknown {
  if (!operation.body) return undefined
  const made = bodies.find(([pattern]) => pattern.test(operation.path))?.[1](fixtures)
  const body = made ?? operation.example?.body ?? exampleOf(operation.body)
  const problem = body === undefined ? 'none could be generated' : operation.body.safeParse(body).error?.message
  if (problem !== undefined)
    throw new Error(
      `${operation.id}: no body that its schema accepts (${problem}). Give the operation an example.body in contracts.`,
    )
  return body
}
