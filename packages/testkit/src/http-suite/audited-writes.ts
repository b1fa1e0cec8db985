import type { Operation } from '@assay/contracts'
import {
  alreadyRead,
  description,
  key,
  knownAssembly,
  ownAssembly,
  ownAsset,
  ownChannel,
  ownMute,
  ownRule,
  parked,
  prefix,
  schedule,
  serviceKey,
  storage,
  type Tools,
  tagNamed,
  template,
  unread,
  watched,
} from './audited-preparations.ts'
import { type Fixtures, muteOfTests, newUniqueName, viewOfPeople, webhookOfNobody } from './fixtures.ts'
import { policyBody, policyKinds } from './policy-bodies.ts'

const api = '/catalog-server/api'
const users = '/admin/api/v1/service-users'

/** How to send a write, and its expected audit line. */
export interface AuditedWrite {
  action: string
  /** `made`: nothing existed before. `gone`: nothing exists afterwards. `changed`: `before` and `after` differ. */
  change: 'made' | 'changed' | 'gone'
  /** Creates what the write needs, and returns additional fixtures. */
  prepare?(tools: Tools): Promise<Record<string, string>>
  /** Default: a body that the operation's schema accepts. */
  body?(fixtures: Fixtures): unknown
  /**
   * Whether to retry: the write is refused while another one is running, or while its service does not know a thing
   * that it names.
   */
  again?: boolean
  /** Some kinds of policies answer 501, or 404 because the fixtures have no run of them. */
  notOfEach?: boolean
  /** The job to cancel may already have ended; then there is no audit line. */
  mayBeLate?: boolean
  /** The key belongs to the administrator's user, who gets the notifications. */
  asAdmin?: boolean
  after?(tools: Tools): Promise<void>
}

/** Operations that write nothing, so the audit has no line for them. */
const onlyRead: Record<string, string> = {
  testNotificationChannel: 'It sends a message and stores nothing.',
  dryRunNotificationRules: 'It answers what would be sent.',
  createEventsToken: 'It signs a token and stores nothing.',
  suggestReconciliationMappings: 'It returns suggested mappings and stores nothing.',
  testAssembly: 'It opens a source and stores nothing.',
  previewPersistenceTemplate: 'It returns a preview and stores nothing.',
  validatePersistenceConfig: 'It returns the problems of a configuration and stores nothing.',
}

/** What-if stores nothing. */
export function isWrite({ id, method, path }: Operation): boolean {
  return method !== 'GET' && onlyRead[id] === undefined && !path.endsWith('/what-if')
}

const change = { change: 'changed' } as const
const gone = { change: 'gone' } as const
const made = { change: 'made' } as const
const withNewName = { body: () => ({ name: newUniqueName() }) }

const writes: Record<string, AuditedWrite> = {
  createApiKey: { action: 'ApiKeyCreated', ...made },
  createTenant: { action: 'TenantCreated', ...made, ...withNewName },
  revokeApiKey: { action: 'ApiKeyRevoked', ...change, prepare: serviceKey },
  rotateApiKey: { action: 'ApiKeyRotated', ...change, prepare: serviceKey },
  createServiceUser: { action: 'ServiceUserCreated', ...made, body: () => ({ username: newUniqueName() }) },
  updateServiceUser: { action: 'ServiceUserUpdated', ...change, body: () => ({ enabled: true, ...description() }) },
  addServiceUserRoles: {
    action: 'ServiceUserRolesChanged',
    ...change,
    body: ({ uniqueName }) => ({ clientId: uniqueName, roles: [2] }),
  },
  removeServiceUserRoles: {
    action: 'ServiceUserRolesChanged',
    ...change,
    async prepare({ admin, fixtures: { serviceUserId, uniqueName } }) {
      await admin.good('PUT', `${users}/${serviceUserId}/add-roles`, { clientId: uniqueName, roles: [3] })
      return {}
    },
    body: ({ uniqueName }) => ({ clientId: uniqueName, roles: [3] }),
  },
  createServiceUserKey: { action: 'ApiKeyCreated', ...made },
  deleteServiceUserKey: { action: 'ApiKeyRevoked', ...change, prepare: serviceKey },
  deleteUserApiKey: {
    action: 'ApiKeyRevoked',
    ...change,
    async prepare({ admin, user: userName }) {
      const of = { ...key(), permissions: ['ASSET_VIEW'], userName }
      return { accessKey: (await admin.good('POST', '/admin/api/api-keys', of)).accessKey }
    },
  },

  createAssembly: { action: 'AssemblyCreated', ...made, prepare: async () => ({ uniqueName: newUniqueName() }) },
  acceptSuggestions: {
    action: 'PolicyCreated',
    ...made,
    async prepare({ admin, fixtures: { assetId } }) {
      const [first] = await admin.good('GET', `${api}/assets/${assetId}/suggestions`)
      return { suggestionId: first.id }
    },
    body: ({ suggestionId }) => ({ ids: [suggestionId], name: newUniqueName() }),
  },
  createAutoAnomalyPolicies: { action: 'PolicyCreated', ...made, prepare: knownAssembly, again: true },
  updateAssembly: {
    action: 'AssemblyUpdated',
    ...change,
    prepare: ownAssembly,
    body: ({ uniqueName, folder }) => ({
      name: uniqueName,
      ...description(),
      sourceType: 'FILE',
      configuration: { path: folder },
    }),
  },
  deleteAssembly: { action: 'AssemblyDeleted', ...gone, prepare: ownAssembly },
  startCrawl: { action: 'CrawlStarted', ...made, prepare: ownAssembly, again: true },
  startCrawler: { action: 'CrawlStarted', ...made, prepare: ownAssembly, again: true },
  cancelCrawl: {
    action: 'CrawlAborted',
    ...change,
    mayBeLate: true,
    async prepare(tools) {
      const { assemblyId } = await ownAssembly(tools)
      const crawl = () => tools.admin.good('POST', `${api}/assemblies/${assemblyId}/crawl`, {})
      return { crawlId: String((await tools.admin.eventually(crawl)).data.id) }
    },
  },

  addAssetComment: { action: 'CommentAdded', ...made },
  editAssetComment: { action: 'CommentEdited', ...change, body: () => ({ comment: newUniqueName() }) },
  deleteAssetComment: {
    action: 'CommentDeleted',
    ...gone,
    async prepare({ admin, fixtures: { assetId } }) {
      const { id } = await admin.good('POST', `${api}/assets/${assetId}/comments`, { comment: newUniqueName() })
      return { commentId: String(id) }
    },
  },
  addAssetTag: { action: 'AssetTagAdded', ...made, ...withNewName },
  deleteAssetTag: {
    action: 'AssetTagRemoved',
    ...gone,
    async prepare({ admin, fixtures: { assetId } }) {
      const { tagId } = await admin.good('POST', `${api}/assets/${assetId}/tag`, { name: newUniqueName() })
      return { tagId: String(tagId) }
    },
  },
  addCustomMetadata: {
    action: 'CustomMetadataSet',
    ...change,
    body: () => ({ [newUniqueName()]: '1' }),
  },
  updateAssetConfiguration: { action: 'AssetConfigured', ...change, body: description },
  updateAssetLabels: {
    action: 'AssetLabelsReplaced',
    ...change,
    body: () => ({ labels: [{ key: newUniqueName(), value: '1' }] }),
  },
  voteOnAsset: { action: 'VoteCast', ...change },

  updateIncident: { action: 'IncidentAssigned', ...change, body: () => ({ assignee: newUniqueName() }) },

  createTag: { action: 'TagCreated', ...made, ...withNewName },
  createTagKey: { action: 'TagKeyCreated', ...made, body: () => ({ key: newUniqueName() }) },
  addTagValues: { action: 'TagCreated', ...made, body: () => ({ values: [newUniqueName()] }) },
  associateTags: {
    action: 'AssetTagAdded',
    ...made,
    prepare: async ({ admin }) => ({ tagId: await tagNamed(admin) }),
    body: ({ assetId, tagId }) => ({
      entityId: Number(assetId),
      entityType: 'ASSET',
      keyValueIds: [Number(tagId)],
    }),
  },
  updateTag: { action: 'TagRenamed', ...change, ...withNewName },
  mergeTag: {
    action: 'TagMerged',
    ...change,
    prepare: async ({ admin }) => ({ tagId: await tagNamed(admin), intoId: await tagNamed(admin) }),
    body: ({ intoId }) => ({ into: Number(intoId) }),
  },

  createAssetUdfVariable: {
    action: 'UdfVariableCreated',
    ...made,
    body: () => ({ key: newUniqueName(), value: '1' }),
  },
  updateAssetUdfVariable: { action: 'UdfVariableUpdated', ...change, body: () => ({ value: newUniqueName() }) },
  deleteAssetUdfVariable: {
    action: 'UdfVariableDeleted',
    ...gone,
    async prepare({ admin, fixtures: { assetId } }) {
      const of = { key: newUniqueName(), value: '1' }
      return { variableId: String((await admin.good('POST', `${api}/assets/${assetId}/udf-variables`, of)).id) }
    },
  },
  createUdfTemplate: { action: 'UdfTemplateCreated', ...made, body: template },
  updateUdfTemplate: { action: 'UdfTemplateUpdated', ...change, body: template },
  deleteUdfTemplate: {
    action: 'UdfTemplateDeleted',
    ...gone,
    prepare: async ({ admin }) => ({
      templateId: String((await admin.good('POST', `${api}/udf/template`, template())).id),
    }),
  },
  validateUdfTemplateAsync: { action: 'UdfValidationRequested', ...made },
  createSqlView: { action: 'SqlViewDefined', ...made },
  updateSqlView: {
    action: 'SqlViewDefined',
    ...change,
    body: () => ({ data: { ...viewOfPeople, details: { ...viewOfPeople.details, ...description() } } }),
  },
  deleteSqlView: {
    action: 'SqlViewDeleted',
    ...gone,
    async prepare({ admin, fixtures: { assemblyId } }) {
      const data = { asset: { name: newUniqueName(), assemblyId: Number(assemblyId) }, ...viewOfPeople }
      const view = await admin.good('POST', `${api}/custom-assets/sql-view`, { data })
      return { viewId: String(view.data.customAsset.id) }
    },
  },
  // An asset has at most one open job, so each test uses a new asset.
  updateReferenceConfigurationByUid: { action: 'ReferenceJobSubmitted', ...made, prepare: ownAsset },
  cancelReferenceJob: {
    action: 'ReferenceJobCancelled',
    ...change,
    mayBeLate: true,
    async prepare(tools) {
      const { assetUid } = await ownAsset(tools)
      const path = `${api}/assets/byUid/${assetUid}/config/reference-configuration`
      const { assetConfiguration } = await tools.admin.good('PUT', path, { validateNow: true })
      return { jobId: String(assetConfiguration.assetReferenceValidationJob.id) }
    },
  },

  enableRule: {
    action: 'PolicyEnabled',
    ...change,
    async prepare({ admin, fixtures }) {
      await admin.good('PUT', `${api}/rules/${fixtures['data-qualityId']}/enable`, { enable: false })
      return {}
    },
    body: () => ({ enable: true }),
  },
  addRuleTag: { action: 'PolicyTagged', ...change, body: () => ({ ruleTag: { name: newUniqueName() } }) },
  addRuleTags: { action: 'PolicyTagged', ...change, body: () => ({ ruleTags: [{ name: newUniqueName() }] }) },
  deleteRuleTag: {
    action: 'PolicyUntagged',
    ...change,
    async prepare({ admin, fixtures }) {
      const path = `${api}/rules/${fixtures['data-qualityId']}/tag`
      return { tagId: String((await admin.good('POST', path, { ruleTag: { name: newUniqueName() } })).id) }
    },
  },
  setRuleConfiguration: { action: 'PolicyConfigurationSet', ...change, body: prefix },
  setRuleConfigurationByName: { action: 'PolicyConfigurationSet', ...change, body: prefix },
  createPersistenceConfig: { action: 'PersistenceConfigCreated', ...made, body: storage },
  updatePersistenceConfig: { action: 'PersistenceConfigChanged', ...change, body: description },
  deletePersistenceConfig: {
    action: 'PersistenceConfigDeleted',
    ...gone,
    prepare: async ({ admin }) => ({
      storageId: String((await admin.good('POST', `${api}/persistence/configs`, storage())).id),
    }),
  },
  setDefaultPersistenceConfig: {
    action: 'PersistenceConfigMadeDefault',
    ...change,
    async after({ admin }) {
      const { data } = await admin.good('GET', `${api}/persistence/configs?size=100`)
      const first = data.find(({ name }: { name: string }) => name === 'default')
      await admin.good('POST', `${api}/persistence/configs/${first.id}/set-default`)
    },
  },

  startByWebhook: { action: 'ExecutionAccepted', ...made, again: true },
  cancelExecution: {
    action: 'ExecutionAborted',
    ...change,
    mayBeLate: true,
    async prepare({ admin, fixtures }) {
      const path = `${api}/rules/data-quality/${fixtures['data-qualityId']}/executions`
      return { executionId: String((await admin.eventually(() => admin.good('POST', path, {}))).execution.id) }
    },
  },
  startProfile: { action: 'ProfileRequested', ...made, again: true },
  cancelProfile: {
    action: 'ProfileAborted',
    ...change,
    mayBeLate: true,
    async prepare({ admin, fixtures: { assetId } }) {
      const path = `${api}/assets/${assetId}/profile`
      const start = () => admin.good('POST', path, { data: { profilingType: 'FULL' } })
      return { profileId: String((await admin.eventually(start)).data.id) }
    },
  },
  requestAssetSampleAsync: { action: 'SampleRequested', ...made, body: () => ({ invalidateCache: true }) },
  cancelAssetSample: {
    action: 'SampleFailed',
    ...made,
    mayBeLate: true,
    async prepare({ admin, fixtures: { assetId } }) {
      const path = `${api}/assets/${assetId}/sample/async`
      return { requestId: (await admin.good('POST', path, { invalidateCache: true })).requestId }
    },
  },

  watchAsset: { action: 'AssetWatched', ...made },
  watchAssetByUid: { action: 'AssetWatched', ...made },
  unwatchAsset: { action: 'AssetUnwatched', ...gone, prepare: watched },
  unwatchAssetByUid: { action: 'AssetUnwatched', ...gone, prepare: watched },
  createWatch: { action: 'AssetWatched', ...made, body: ({ assetId }) => ({ assetId: Number(assetId) }) },
  changeWatch: { action: 'WatchNarrowed', ...change, prepare: watched, body: () => ({ minSeverity: 'WARNING' }) },
  deleteWatch: { action: 'AssetUnwatched', ...gone, prepare: watched },
  unreadNotification: { action: 'NotificationUnread', ...change, asAdmin: true, prepare: alreadyRead },
  createNotificationChannel: { action: 'ChannelCreated', ...made, body: () => webhookOfNobody },
  updateNotificationChannel: { action: 'ChannelChanged', ...change, ...withNewName, asAdmin: true },
  rotateNotificationChannelSecret: { action: 'ChannelSecretRotated', ...change, asAdmin: true },
  sendNotificationChannelDigest: { action: 'ChannelDigestRequested', ...change, asAdmin: true },
  replayNotificationDelivery: { action: 'DeliveryReplayed', ...made, asAdmin: true, prepare: parked },
  deleteNotificationChannel: { action: 'ChannelDeleted', ...gone, asAdmin: true, prepare: ownChannel },
  createNotificationRule: { action: 'NotificationRuleCreated', ...made },
  updateNotificationRule: { action: 'NotificationRuleChanged', ...change, ...withNewName },
  deleteNotificationRule: { action: 'NotificationRuleDeleted', ...gone, prepare: ownRule },
  createNotificationMute: { action: 'NotificationsMuted', ...made, body: () => muteOfTests },
  deleteNotificationMute: { action: 'MuteDeleted', ...gone, prepare: ownMute },
  changeNotificationSettings: { action: 'NotificationSettingsChanged', ...change, body: () => ({ digestAt: '07:30' }) },
  readNotification: { action: 'NotificationRead', ...change, asAdmin: true, prepare: unread },
  readAllNotifications: { action: 'NotificationsRead', ...change, asAdmin: true, prepare: unread },
}

/** The writes of every kind of policy, by method and path. `active`: archived ones are refused. */
function ofPolicy({ method, path }: Operation): AuditedWrite | undefined {
  const kind = policyKinds.find((each) => path.startsWith(`${api}/rules/${each}`)) ?? 'data-quality'
  const own = (fixtures: Fixtures) => `${api}/rules/${kind}/${fixtures[`${kind}Id`]}`
  const active = async ({ admin, fixtures }: Tools) => {
    await admin.good('POST', `${own(fixtures)}/unarchive`)
    return {}
  }
  const archived = async ({ admin, fixtures }: Tools) => {
    await admin.call('DELETE', own(fixtures))
    return {}
  }
  const end = path.split('/').at(-1)
  if (end === 'feedback')
    return {
      action: 'FeedbackGiven',
      ...change,
      notOfEach: true,
      body: () => ({ feedback: 'ANOMALY', metric: 'PERCENTAGE' }),
    }
  if (end === 'executions')
    return { action: 'ExecutionAccepted', ...made, again: true, notOfEach: true, prepare: active }
  if (end === 'schedule')
    return {
      action: 'PolicyScheduleSet',
      ...change,
      notOfEach: true,
      async prepare(tools) {
        await active(tools)
        // These routes only switch an existing schedule.
        await tools.admin.call('PUT', `${api}/rules/${tools.fixtures[`${kind}Id`]}/schedule`, schedule())
        return {}
      },
      body: () => ({ scheduled: true }),
    }
  if (end === 'unarchive') return { action: 'PolicyUnarchived', ...change, prepare: archived }
  if (method === 'DELETE')
    return { action: 'PolicyArchived', ...change, prepare: active, after: async (tools) => void (await active(tools)) }
  if (method === 'PUT')
    return { action: 'PolicyDefinitionChanged', ...change, prepare: active, body: () => ({ rule: description() }) }
  const body = ({ assetId = '' }: Fixtures) => policyBody(kind, { uniqueName: newUniqueName(), assetId })
  return { action: 'PolicyCreated', ...made, body }
}

/** Throws for a write without a declared audit line. */
export function auditedWriteOf(operation: Operation): AuditedWrite {
  const { id, path } = operation
  const found = writes[id] ?? (path.startsWith(`${api}/rules/`) ? ofPolicy(operation) : undefined)
  if (found === undefined)
    throw new Error(
      `${id}: its audit line is not declared. Add it to packages/testkit/src/http-suite/audited-writes.ts.`,
    )
  return found
}
