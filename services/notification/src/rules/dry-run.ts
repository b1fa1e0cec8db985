import {
  type DryRunRoute,
  incidentKinds,
  isPersonal,
  notificationRuleOperations as operations,
  severityOfKind,
} from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Caller, type Clock, isoTime, type Route, route } from '@assay/service-kit'
import type { Channel } from '../channel/channel.ts'
import { channelsOfUser } from '../channels/channels-of-user.ts'
import type { MayRead } from '../copies/keys.ts'
import { notificationPolicies } from '../copies/targets.ts'
import { accepts } from '../delivering/outbox.ts'
import { aboutOf } from '../notification/about.ts'
import { placeFor } from '../notifying/place.ts'
import { wishesOf } from '../notifying/wishes.ts'
import { type ChannelsFor, muterOf, type Routed } from '../routing/channels-for.ts'
import type { WatchersOf } from '../routing/watchers.ts'
import { defaultSettings } from '../settings/quiet-hours.ts'
import { contentOf } from '../triggers/content-of.ts'
import { assetsOf, coveringOf } from '../triggers/covering.ts'
import type { WatchedContent } from '../triggers/trigger.ts'
import type { KnownThings } from '../watching/known-things.ts'
import { assertShared } from './assert-shared.ts'
import { assertMayName, type Named, shownTo } from './dry-run-access.ts'

type Run = Routed & { now: number }
type Wishes = Pick<Parameters<typeof placeFor>[0], 'muted' | 'settings'>

const placeOfRun = ({ content, covering, now }: Run, wishes: Wishes) =>
  placeFor({ content, assetIds: assetsOf(covering), cause: undefined, repeats: undefined, now, ...wishes })

const parkedBy = ({ state }: Channel) => (state === 'ACTIVE' ? null : state)

/** Answers what a notification would be sent to, by the functions that send it. */
export function dryRunRoute(deps: {
  commands: CommandHandler
  documents: Documents
  known: KnownThings
  watchersOf: WatchersOf
  channelsFor: ChannelsFor
  mayRead: MayRead
  clock: Clock
}): Route {
  const { commands, documents, known, watchersOf, channelsFor, mayRead, clock } = deps

  async function assetOf(call: Caller, { assetId, policyId, assemblyId }: Named) {
    assertMayName(call, { assetId, policyId, assemblyId })
    if (assetId !== undefined) await known.asset(call, assetId)
    if (policyId !== undefined) await known.policy(call, policyId)
    if (assetId !== undefined || policyId === undefined) return assetId ?? null
    return (await documents.get(notificationPolicies, call.identity.tenant, policyId))?.document.assetId ?? null
  }

  return route(operations.dryRunNotificationRules, async (call) => {
    const { tenant } = call.identity
    const { kind, policyId, assemblyId, rules } = call.body
    const assetId = await assetOf(call, call.body)
    if (assemblyId !== undefined) await known.assembly(call, assemblyId)
    await assertShared(commands, call, new Set(rules?.flatMap(({ channelIds }) => channelIds)))
    const now = clock.now()
    const severity = call.body.severity ?? (incidentKinds.has(kind) ? 'ERROR' : severityOfKind(kind))
    const sent: WatchedContent = {
      ...{ kind, severity, assetId, policyId: policyId ?? null, executionId: null },
      ...{ title: '', text: '', link: '', at: isoTime(now) },
      ...(assemblyId === undefined ? {} : { assemblyId }),
      ...(incidentKinds.has(kind) ? { incident: { severity } } : {}),
    }
    const [found, covering] = await Promise.all([
      contentOf(documents, tenant, sent),
      coveringOf(documents, tenant, sent),
    ])
    const content = call.body.severity === undefined ? found : { ...found, severity: call.body.severity }
    if (isPersonal(kind)) return { body: [] }
    const of = { content, covering, incident: sent.incident, now }
    const tried = rules?.map(({ id: ruleId, ...rule }) => ({ ...rule, ruleId }))
    return { body: [...(await fromWatches(call, of)), ...(await fromRules(call, { ...of, rules: tried }))] }
  })

  async function fromWatches(call: Caller, run: Run): Promise<DryRunRoute[]> {
    const { tenant } = call.identity
    const { content, covering, now } = run
    const routes: DryRunRoute[] = []
    const notified = { mentioned: [], all: new Set<string>() }
    for await (const some of watchersOf(tenant, content, { covering, notified })) {
      if (some.length === 0) continue
      const users = some.map(({ user }) => user)
      const { mutesOf, settingsOf } = await wishesOf(documents, tenant, users, now)
      for (const { user: recipient, watchId } of some) {
        if (!(await mayRead(tenant, recipient, aboutOf(content)))) continue
        const { heldBy } = placeOfRun(run, { muted: mutesOf(recipient), settings: settingsOf(recipient) })
        for (const channel of await channelsOfUser(documents, tenant, recipient)) {
          if (!accepts(channel, content)) continue
          routes.push({
            recipient,
            ...shownTo(call, channel),
            because: { type: 'WATCH', watchId },
            heldBy: heldBy ?? parkedBy(channel),
          })
        }
      }
    }
    return routes
  }

  async function fromRules(call: Caller, run: Run): Promise<DryRunRoute[]> {
    const { tenant } = call.identity
    const routes: DryRunRoute[] = []
    for (const { channel, because } of await channelsFor(tenant, run)) {
      const { shared, owner } = channel
      if (!shared && !(await mayRead(tenant, owner, aboutOf(run.content)))) continue
      const muter = muterOf(channel, run.content)
      const muted = muter === undefined ? [] : (await wishesOf(documents, tenant, [muter], run.now)).mutesOf(muter)
      const { heldBy } = placeOfRun(run, { muted, settings: defaultSettings })
      routes.push({
        recipient: shared ? null : owner,
        ...shownTo(call, channel),
        because,
        heldBy: heldBy ?? parkedBy(channel),
      })
    }
    return routes
  }
}
