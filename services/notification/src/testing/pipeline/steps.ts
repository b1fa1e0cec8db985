import { severityOfKind, severityRank } from '@assay/contracts'
import fc from 'fast-check'
import type { RuleSettings } from '../../rule/rule.ts'
import type { UserSettings } from '../../settings/quiet-hours.ts'
import type { WatchedContent } from '../../triggers/trigger.ts'
import type { Fault } from './world.ts'

export const kinds = ['ASSET_CHANGED', 'TAGS_CHANGED', 'ASSET_DELETED'] as const
export const digests = ['NONE', 'HOURLY', 'DAILY'] as const
/** Channels 1 and 2 are those of the user; rules feed 3 and 4. */
export const channelIds = [1, 2, 3, 4] as const
export const sharedIds = [3, 4] as const
export const assetIds = [1, 2, 3] as const

type Kind = (typeof kinds)[number]
export type Digest = (typeof digests)[number]
export interface Change {
  assetId: number
  kind: Kind
  /** Null: that of the kind. */
  severity: 'CRITICAL' | null
  crawlId: number | null
}
/** Null: any. */
export interface Rule {
  enabled: boolean
  kinds: readonly Kind[] | null
  minSeverity: 'WARNING' | null
  channelIds: readonly number[]
}

export type Step =
  | ({ do: 'event' } & Change)
  | { do: 'crawlEnds'; crawlId: number }
  | { do: 'redeliver'; nth: number }
  | { do: 'mute'; kind: Kind; hours: number }
  | { do: 'quiet'; hours: number | null }
  | ({ do: 'settings' } & Pick<UserSettings, 'timeZone' | 'digestAt'>)
  | { do: 'rule'; ruleId: number; rule: Rule }
  | { do: 'digest'; channelId: number; digest: Digest }
  | { do: 'sendDigest'; channelId: number }
  | { do: 'follow' }
  | { do: 'answer'; status: number }
  | { do: 'readable'; readable: boolean }
  | { do: 'wait'; minutes: number }
  | ({ do: 'crash' } & Fault)

const crawlId = fc.integer({ min: 1, max: 2 })
const hours = fc.integer({ min: 1, max: 3 })
const channelId = fc.constantFrom(...channelIds)
const rule: fc.Arbitrary<Rule> = fc.record({
  enabled: fc.boolean(),
  kinds: fc.option(fc.uniqueArray(fc.constantFrom(...kinds), { minLength: 1 })),
  minSeverity: fc.constantFrom('WARNING', null),
  channelIds: fc.uniqueArray(fc.constantFrom(...sharedIds), { minLength: 1 }),
})
const change = {
  assetId: fc.constantFrom(...assetIds),
  kind: fc.constantFrom(...kinds),
  severity: fc.constantFrom(null, null, null, 'CRITICAL' as const),
}

const is = <Name extends Step['do']>(name: Name) => ({ do: fc.constant(name) })
const fault = { after: fc.nat(6), isDurable: fc.boolean() }
const places = { timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/New_York') }
const times = { digestAt: fc.constantFrom('00:00', '08:00', '12:30', '23:45') }

export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ ...is('event'), ...change, crawlId: fc.option(crawlId) }) },
  { weight: 2, arbitrary: fc.record({ ...is('crawlEnds'), crawlId }) },
  { weight: 2, arbitrary: fc.record({ ...is('redeliver'), nth: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ ...is('mute'), kind: change.kind, hours }) },
  { weight: 1, arbitrary: fc.record({ ...is('quiet'), hours: fc.option(hours) }) },
  { weight: 1, arbitrary: fc.record({ ...is('settings'), ...places, ...times }) },
  { weight: 2, arbitrary: fc.record({ ...is('rule'), ruleId: fc.constantFrom(1, 2), rule }) },
  { weight: 2, arbitrary: fc.record({ ...is('digest'), channelId, digest: fc.constantFrom(...digests) }) },
  { weight: 1, arbitrary: fc.record({ ...is('sendDigest'), channelId }) },
  { weight: 2, arbitrary: fc.record(is('follow')) },
  { weight: 1, arbitrary: fc.record({ ...is('answer'), status: fc.constantFrom(204, 500) }) },
  { weight: 1, arbitrary: fc.record({ ...is('readable'), readable: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ ...is('wait'), minutes: fc.oneof(fc.nat(90), fc.nat(1_500)) }) },
  { weight: 4, arbitrary: fc.record({ ...is('crash'), ...fault }) },
)

/** Whether a rule sends a change. */
export function fits({ enabled, kinds: some, minSeverity }: Rule, of: Change): boolean {
  const severity = of.severity ?? severityOfKind(of.kind)
  return enabled && (some?.includes(of.kind) ?? true) && severityRank(severity) >= severityRank(minSeverity ?? 'INFO')
}

/** A rule as it is stored. */
export function settingsOf({ enabled, kinds: some, minSeverity, channelIds: ids }: Rule): RuleSettings {
  const when = { ...(some && { kinds: [...some] }), ...(minSeverity && { minSeverity }) }
  return { name: 'rule', enabled, when, channelIds: [...ids] }
}

/** What the catalog says of a change. */
export function contentOf({ assetId, kind, severity }: Change, at: string): WatchedContent {
  const about = { assetId, policyId: null, executionId: null, link: `/assets/${assetId}`, at }
  return { ...about, kind, title: `asset ${assetId}: ${kind}`, text: '', ...(severity && { severity }) }
}
