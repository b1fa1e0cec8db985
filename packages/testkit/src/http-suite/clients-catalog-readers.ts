import { z } from 'zod'
import {
  byClient,
  closed,
  flag,
  free,
  holding,
  integer,
  listOf,
  paging,
  record,
  text,
  there,
  time,
} from './clients-reader.ts'

/** A plain dataclass in B and C: exactly these keys. One more breaks every assembly and asset. */
const sourceType = {
  A: z.object({ name: text, miniProfiling: flag }),
  ...(({ B, C }) => ({ B, C }))(
    byClient(() =>
      z.strictObject({
        id: there,
        name: there,
        sourceModel: there,
        connectionTypeId: there,
        miniProfiling: there,
        propertyTemplates: there,
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
    // Its record embeds a whole data plane.
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

export const assemblyAnswer = holding({ data: assembly })
export const assemblyListAnswer = holding({ data: listOf(assembly) })
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
export const sourceTypesAnswer = holding({ data: listOf(sourceType) })
export const connectionTypesAnswer = holding({ data: listOf(z.object({ id: integer, type: text })) })
export const pipelineAnswer = holding({
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
export const compatibleVersionsAnswer = holding({
  versions: z.object({ minVersion: plainVersion, maxVersion: plainVersion }),
})
export const buildDetailsAnswer = holding({
  buildVersion: z.string().regex(/^(0|[1-9]\d*)(\.(0|[1-9]\d*)(\.(0|[1-9]\d*))?)?(-.*)?$/),
  buildDate: there,
})

export const assetListAnswer = holding({ data: listOf(asset) })
const metadataItem = { key: text, value: text, dataType: text, source: text }
export const metadataAnswer = holding({
  data: record({
    assetId: integer,
    metaDataHash: text,
    createdAt: time,
    updatedAt: time,
    items: listOf(closed(metadataItem)),
  }),
})
/** `state` and further fields are in the specification, so C cannot be closed here. */
export const assetTag = byClient((client) =>
  z.intersection(
    record({ assetId: integer, name: text, autoTagged: flag, state: text })[client],
    z.object({ domains: z.array(z.unknown()) }),
  ),
)
export const assetTagsAnswer = holding({ assetTags: listOf(assetTag) })
export const tagsAnswer = holding({ tags: listOf(z.object({ name: text })), metadata: paging })
export const labelsAnswer = listOf(closed({ key: text, value: text }))
export const sampleAnswer = byClient(() =>
  z.union([
    // In progress: polled by its id.
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
  { C: { jobId: there, sparkClusterContext: there } },
)
export const profileStartedAnswer = holding({ data: profileRequest })
export const lastProfileAnswer = holding({
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
export const discoverAnswer = holding({
  data: holding({ assemblies: listOf(assembly), assets: listOf(holding({ asset })) }),
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
export const associatedAnswer = holding({ created: listOf(tagDetail), errors: listOf(z.unknown()) })
export const associationsAnswer = listOf(tagDetail)
