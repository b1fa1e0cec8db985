import type { Sabotage } from './sabotage.ts'

const spec = 'deploy/native/faults/replicas.server.spec.ts'
const rebalanced = 'consumers rebalanced while handling'
const again = 'duplicate and reordered delivery'
const partition = 'packages/message-bus/src/kafka/partition.ts'
const ofKafka = 'packages/message-bus/src/kafka/faults.server.spec.ts'

export const ofReplicas: readonly Sabotage[] = [
  {
    name: 'lease-never-expires',
    fault: 'two replicas of each',
    spec,
    test: 'when one of each is killed at the same time',
    file: 'packages/event-store/src/lease.ts',
    text: ' || before.expiresAt <= clock.now()',
    by: '',
    loss: 'Nobody replaces a killed publisher, so new events are not published.',
    says: /lost-message|lost-effect/,
  },
  {
    name: 'offset-before-handling-paused',
    fault: rebalanced,
    spec,
    test: 'when members are paused, resumed, leave and join',
    file: partition,
    text: '      else keyQueues.add(keyQueue, entry)\n',
    by: `      else keyQueues.add(keyQueue, entry)
      progress.handle(offset)
      options.onHandled()
`,
    loss: 'Messages that a member had fetched when its partitions were reassigned are already committed, so nobody handles them.',
    says: /lost-effect|missing-document|stale-document/,
  },
  {
    name: 'offset-before-handling-killed-member',
    fault: rebalanced,
    spec: ofKafka,
    test: 'given a member that is killed while it handles',
    file: partition,
    text: '      else keyQueues.add(keyQueue, entry)\n',
    by: `      else keyQueues.add(keyQueue, entry)
      progress.handle(offset)
      options.onHandled()
`,
    loss: 'Messages that a killed member had fetched are already committed, so nobody handles them.',
    says: /to be 600/,
  },
  {
    name: 'not-settled-before-a-rebalance',
    fault: rebalanced,
    spec: ofKafka,
    test: 'given a member, when others come and go while messages are handled',
    file: 'packages/message-bus/src/kafka/subscription.ts',
    text: '    await withTimeout(timers, Math.min(settings.sessionTimeoutMs, settings.rebalanceTimeoutMs) / 2, settle())\n',
    by: '',
    loss: 'The next owner of a partition also handles messages that the previous one is still handling.',
    says: /to deeply equal|to be 0/,
  },
  {
    name: 'effects-not-by-event-id',
    fault: again,
    spec,
    test: 'when messages are repeated, late and in the reverse order',
    file: 'services/notification/src/notifying/notify.ts',
    text: "notificationKey({ eventId, assetId: content.assetId, recipient, channel: 'in-app' })",
    by: "notificationKey({ eventId: crypto.randomUUID(), assetId: content.assetId, recipient, channel: 'in-app' })",
    loss: 'A watcher gets two notifications of one event.',
    says: /doubled-effect/,
  },
  {
    name: 'put-without-the-guard',
    fault: again,
    spec,
    test: 'when messages are repeated, late and in the reverse order',
    file: 'packages/documents/src/mongodb/writer.ts',
    text: 'filter: { _id, tenant, revision: { $lt: revision } }',
    by: 'filter: { _id, tenant }',
    loss: 'An older state replaces a newer one in a read model.',
    says: /stale-document/,
  },
]
