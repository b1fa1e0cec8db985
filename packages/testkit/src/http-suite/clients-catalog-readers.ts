import { z } from 'zod'
import {
  anyValue,
  byClient,
  closed,
  flag,
  free,
  integer,
  listOf,
  objectWith,
  paging,
  record,
  text,
  time,
} from './clients-reader.ts'

/** A plain dataclass in B and C with exactly these keys: an additional key breaks every assembly and asset. */
const sourceType = {
  A: z.object({ name: text, miniProfiling: flag }),
  ...(({ B, C }) => ({ B, C }))(
    byClient(() =>
      z.strictObject({
        id: anyValue,
        name: anyValue,
        sourceModel: anyValue,
        connectionTypeId: anyValue,
        miniProfiling: anyValue,
        propertyTemplates: anyValue,
      }),
    ),
  ),
}
const assetType = record({ name: text, canMonitor: flag, canProfile: flag, canSample: flag })
const assembly = byClient((client) =>
  z.intersection(
    record({
      name: text,
      description: text,
      tenantId: text,
      sourceType,
      crawler: record({ name: text }),
      createdAt: time,
      updatedAt: time,
    })[client],
    // In these clients, a connection embeds a whole data plane.
    z.object({ conn: z.null().optional() }),
  ),
)
export const asset = record({
  uid: text,
  name: text,
  description: text,
  assetType,
  sourceType,
  assembly,
  isActive: flag,
  isCustom: flag,
  isDeleted: flag,
  isSegmented: flag,
  createdAt: time,
  updatedAt: time,
})

export const assemblyAnswer = objectWith({ data: assembly })
export const assemblyListAnswer = objectWith({ data: listOf(assembly) })
export const crawlStartedAnswer = closed({ data: closed({ assemblyName: text, isSuccess: flag }) })
export const crawlStatusAnswer = closed({
  data: closed({ assemblyName: text, status: z.enum(['STARTING', 'RUNNING', 'COMPLETED', 'FAILED']) }),
})
export const assetTypesAnswer = byClient((client) =>
  z.object({
    data: listOf(assetType)[client],
    ...(client === 'A' ? { assetTypes: listOf(assetType)[client] } : {}),
  }),
)
export const sourceTypesAnswer = objectWith({ data: listOf(sourceType) })
export const connectionTypesAnswer = objectWith({ data: listOf(z.object({ id: integer, type: text })) })
export const pipelineAnswer = objectWith({
  pipeline: record({
    name: text,
    tenantId: text,
    version: text,
    dataplaneType: text,
    statusReportInterval: integer,
    isHosted: flag,
    isInternalCall: flag,
    isPaused: flag,
    isRequestSentByDataplane: flag,
    isRotationInProgress: flag,
  }),
})
const plainVersion = z.string().regex(/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/)
export const compatibleVersionsAnswer = objectWith({
  versions: z.object({ minVersion: plainVersion, maxVersion: plainVersion }),
})
export const buildDetailsAnswer = objectWith({
  buildVersion: z.string().regex(/^(0|[1-9]\d*)(\.(0|[1-9]\d*)(\.(0|[1-9]\d*))?)?(-.*)?$/),
  buildDate: anyValue,
})

export const assetListAnswer = objectWith({ data: listOf(asset) })
const metadataItem = { key: text, value: text, dataType: text, source: text }
export const metadataAnswer = objectWith({
  data: record({
    assetId: integer,
    metaDataHash: text,
    createdAt: time,
    updatedAt: time,
    items: listOf(closed(metadataItem)),
  }),
})
/** The specification has `state` and other fields, so C accepts additional keys here. */
export const assetTag = byClient((client) =>
  z.intersection(
    record({ assetId: integer, name: text, autoTagged: flag, state: text })[client],
    z.object({ domains: z.array(z.unknown()) }),
  ),
)
export const assetTagsAnswer = objectWith({ assetTags: listOf(assetTag) })
export const tagsAnswer = objectWith({ tags: listOf(z.object({ name: text })), metadata: paging })
export const labelsAnswer = listOf(closed({ key: text, value: text }))
export const sampleAnswer = byClient(() =>
  z.union([
    // In progress: the client polls by id.
    z.object({ requestId: text, jobExecutionStatus: z.literal('IN_PROGRESS') }),
    z.object({ requestId: text.nullish(), jobExecutionStatus: z.literal('SUCCESSFUL'), sampleData: free }),
  ]),
)
const profileRequest = record(
  {
    id: integer,
    assetId: integer,
    status: text,
    profilingType: text,
    createdAt: time,
    updatedAt: time,
    profileCapabilities: z.array(text),
    selectedColumns: z.array(text),
  },
  { C: { jobId: anyValue, sparkClusterContext: anyValue } },
)
export const profileStartedAnswer = objectWith({ data: profileRequest })
export const lastProfileAnswer = objectWith({
  data: record({ id: integer, status: text, isProfileAnomalous: flag, createdAt: time, updatedAt: time }),
})
export const profileRequestAnswer = byClient((client) =>
  z.object({
    profileRequest: profileRequest[client],
    ...(client === 'A' ? { data: profileRequest[client] } : {}),
  }),
)
export const watchAnswer = closed({
  data: closed({ id: integer, assetId: integer, userId: text, createdAt: time, updatedAt: time }),
})
export const activityAnswer = closed({
  commentCount: integer,
  upVoteCount: integer,
  downVoteCount: integer,
  upvoted: flag,
  downvoted: flag,
})
export const commentsAnswer = closed({
  comments: listOf(closed({ comment: text, createdAt: time, updatedAt: time, userName: text })),
})
export const discoverAnswer = objectWith({
  data: objectWith({ assemblies: listOf(assembly), assets: listOf(objectWith({ asset })) }),
})

/** Ids of the tag service are text; nothing is required. */
const textId = text.nullish()
const tagValue = z.object({ keyValueId: textId, keyId: textId, value: text.nullish() })
export const tagKeyAnswer = byClient(() =>
  z.object({ key: z.object({ id: textId, name: text.nullish() }).nullish(), values: z.array(tagValue).nullish() }),
)
export const tagValuesAnswer = byClient(() => z.object({ values: z.array(tagValue).nullish() }))
export const tagSearchAnswer = byClient(() =>
  z.object({
    results: z.array(tagValue).nullish(),
    total: integer.nullish(),
    page: integer.nullish(),
    size: integer.nullish(),
  }),
)
const tagDetail = z.object({ keyValueId: integer })
export const associatedAnswer = objectWith({ created: listOf(tagDetail), errors: listOf(z.unknown()) })
export const associationsAnswer = listOf(tagDetail)
