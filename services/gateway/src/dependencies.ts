import type { Documents } from '@assay/documents'
import type { Checkpoints, Commit, EventStore, MakeProcessor } from '@assay/event-store'
import type { MessageBus } from '@assay/message-bus'
import type { Clock, Logger, NewId, Timers } from '@assay/service-kit'

/** What the gateway is made of. */
export interface GatewayDependencies {
  store: EventStore
  commit: Commit
  documents: Documents
  checkpoints: Checkpoints
  /** What the other services tell: for the audit. */
  bus: MessageBus
  /** Of Assay, as package.json says it. */
  version: string
  /** When it was built, ISO 8601, where package.json says it. */
  buildDate?: string | undefined
  /** How processors are made; absent: by `createProcessor`, for a process that has no replica. */
  makeProcessor?: MakeProcessor
  clock: Clock
  timers: Timers
  newId: NewId
  logger: Logger
  /** 32 random bytes. */
  newSecret: () => Uint8Array
  /** There may be other gateways of this Assay. Default: this is the only one. */
  hasReplicas?: boolean
  /** The administrator's pair, where the operator chose it. 16 to 128 characters of `A-Za-z0-9_-` each. */
  presetAdmin?: { accessKey: string; secretKey: string }
}

/** Whose streams hold tenants and keys: a key is looked up before anybody knows its tenant. */
export const systemTenant = 'assay'

/** The tenant that the first start makes. */
export const defaultTenant = 'default'
