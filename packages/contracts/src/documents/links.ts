import { exampleOf } from '../example.ts'
import type { Operation } from '../operations/operation.ts'
import { segmentOf } from '../records/policies/table.ts'
import { policyTypes } from '../records/policy-types.ts'

interface Link {
  operationId: string
  /** Runtime expressions of OpenAPI 3.1, by the name of the path parameter. */
  parameters: Record<string, string>
}

/** JSON pointers to the id of a created thing, in order of preference. */
const pointers = ['/data/customAsset/id', '/data/id', '/rule/id', '/execution/id', '/key/id', '/id', '/requestId']

/** Pointers for parameters whose name alone determines the pointer. */
const pointersByName: Readonly<Record<string, string>> = {
  accessKey: '/accessKey',
  tagId: '/tagId',
  requestId: '/requestId',
  assemblyName: '/data/name',
}

const kind = `(${policyTypes.map(segmentOf).join('|')})`
/** Things whose path does not begin with the path that creates them: the creating path, and the path up to the id. */
const createdAtOtherPath: readonly [RegExp, RegExp][] = [
  [new RegExp(`/rules/${kind}$`), /\/catalog-server\/api\/rules\/\{\w+\}$/],
  [/\/catalog-server\/api\/assemblies$/, /\/catalog-server\/api\/crawler\/\{\w+\}$/],
  [/\/assemblies\/\{id\}\/crawl$/, /\/catalog-server\/api\/crawls\/\{\w+\}$/],
  [/\/assets\/\{id\}\/profile$/, /\/assets\/profile\/\{\w+\}$/],
  [/\/sample\/async$/, /\/sample\/result\/\{\w+\}$/],
  [/\/validate\/async$/, /\/validate\/result\/\{\w+\}$/],
  [/\/rules\/[\w-]+\/(\{id\}|byName\/\{name\})\/executions$/, /\/rules\/execution\/\{\w+\}$/],
]
const executions = new RegExp(`^(.*/rules/${kind})/(?:\\{id\\}|byName/\\{name\\})/executions$`)

const parameter = /\{(\w+)\}/g
const namesIn = (path: string): string[] => [...path.matchAll(parameter)].map(([, name]) => name ?? '')

/** Whether `path`, which ends with a parameter, identifies a thing that the operation with `creatingPath` creates. */
function identifiesCreated(creatingPath: string, path: string): boolean {
  if (path.slice(0, path.lastIndexOf('/')) === creatingPath) return true
  const below = executions.exec(creatingPath)?.[1]
  if (below !== undefined && path === `${below}/executions/{id}`) return true
  return createdAtOtherPath.some(([from, to]) => from.test(creatingPath) && to.test(path))
}

function has(value: unknown, pointer: string): boolean {
  let at = value
  for (const step of pointer.slice(1).split('/')) {
    if (typeof at !== 'object' || at === null || !(step in at)) return false
    at = Object.entries(at).find(([name]) => name === step)?.[1]
  }
  return at !== null && typeof at !== 'object'
}

/** The operations that take the id of a created thing: the `links` of a POST answer in OpenAPI. */
export function linksOf(operation: Operation, operations: readonly Operation[]): Record<string, Link> {
  if (operation.method !== 'POST' || !operation.answer) return {}
  const answer = exampleOf(operation.answer)
  const own = namesIn(operation.path)
  const links = operations.flatMap((target): [string, Link][] => {
    const names = namesIn(target.path)
    const last = names.at(-1)
    // The request must have all other parameters.
    if (last === undefined || target === operation || !names.slice(0, -1).every((name) => own.includes(name))) return []
    if (!identifiesCreated(operation.path, target.path.slice(0, target.path.indexOf(`{${last}}`) + last.length + 2)))
      return []
    const byName = pointersByName[last]
    const pointer = (byName === undefined ? pointers : [byName]).find((each) => has(answer, each))
    if (pointer === undefined) return []
    const known = names.slice(0, -1).map((name) => [name, `$request.path.${name}`])
    return [
      [
        target.id,
        {
          operationId: target.id,
          parameters: { ...Object.fromEntries(known), [last]: `$response.body#${pointer}` },
        },
      ],
    ]
  })
  return Object.fromEntries(links)
}
