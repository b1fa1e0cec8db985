import type { RouteRequest } from '@assay/hosting/testing'
import { column, createFakeEngine, file, folder } from './fake-engine.ts'
import { type OperationId, openCatalog } from './harness.ts'

/** A request about one asset, comment or tag, whose path parameter is `id`. */
export const of = (id: number, request: RouteRequest = {}): RouteRequest => ({
  ...request,
  params: { id: String(id), ...request.params },
})

/** A catalog that has crawled one file of people, for tests of annotations. */
export async function openCrm(engine = createFakeEngine()) {
  engine.finds = [folder('in'), file('in/people.csv', [column('id', 'BIGINT'), column('email'), column('born')])]
  const catalog = await openCatalog({ engine })
  await catalog.assembly('crm')
  const { id: table } = await catalog.byUid('crm.in.people.csv')
  const { id: email } = await catalog.byUid('crm.in.people.csv.email')
  const ask = async <Id extends OperationId>(id: Id, request?: RouteRequest) => (await catalog.call(id, request)).body
  return {
    ...catalog,
    /** Ids of the file and of its column `email`. */
    table,
    email,
    /** The body of an answer. */
    ask,
    tag: (assetId: number, body: unknown, more: RouteRequest = {}) =>
      ask('addAssetTag', of(assetId, { body, ...more })),
    async namesOf(assetId: number): Promise<string[]> {
      return (await ask('getAssetTags', of(assetId))).assetTags.map(({ name }) => name)
    },
  }
}

export interface OpenCrm extends Awaited<ReturnType<typeof openCrm>> {}
