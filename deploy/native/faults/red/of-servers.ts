import type { Sabotage } from './sabotage.ts'

const spec = 'deploy/native/faults/servers.server.spec.ts'

export const ofServers: readonly Sabotage[] = [
  {
    name: 'append-again-with-new-ids',
    fault: 'answers of the event store lost after a write',
    spec,
    test: 'when answers of the event store are lost after it has written',
    file: 'packages/event-store/src/eventstoredb/append.ts',
    text: 'events.map(({ id, type, data, metadata }) => jsonEvent({ id, type, data, metadata }))',
    by: 'events.map(({ type, data, metadata }) => jsonEvent({ id: crypto.randomUUID(), type, data, metadata }))',
    loss: 'A retried append conflicts with its own first attempt, is decided again, and is refused or doubled.',
    says: /refused-event|doubled-event|changed-message|broken-stream/,
  },
  {
    name: 'unknown-outcome-not-sent-again',
    fault: 'answers of the event store lost after a write',
    spec: 'packages/event-store/src/eventstoredb/faults.server.spec.ts',
    test: 'given answers that are always lost',
    file: 'packages/event-store/src/append-again.ts',
    text: '      if (!unknown) throw error\n',
    by: '      throw error\n',
    loss: 'Callers get an unknown outcome although a retry with the same ids would have found it.',
    says: /to have a length of 10 but got 1/,
  },
  {
    name: 'rejected-send-taken-for-sent',
    fault: 'the broker killed and restarted',
    spec,
    test: 'when the broker is killed and comes back',
    file: 'packages/message-bus/src/kafka/publisher.ts',
    text: 'settle.reject(sendingError(error))',
    by: 'settle.resolve()',
    alsoOff: {
      file: 'packages/message-bus/src/kafka/client.ts',
      text: 'retries: 200, initialRetryTime: 200,',
      by: 'retries: 1, initialRetryTime: 200,',
    },
    loss: 'Messages that the broker rejected are never sent again.',
    says: /lost-message/,
  },
  {
    name: 'ended-consumer-left',
    fault: 'the broker killed and restarted',
    spec: 'packages/message-bus/src/kafka/failed-join.server.spec.ts',
    file: 'packages/message-bus/src/kafka/subscription.ts',
    text: '      if (stopping.signal.aborted) return\n      starting = start()',
    by: '      if (!stopping.signal.aborted) return\n      starting = start()',
    loss: 'A consumer that the driver stopped when the coordinator of its group moved gets no more messages.',
    says: /expected/,
  },
  {
    name: 'producer-not-idempotent',
    fault: 'the broker killed and restarted',
    spec: 'packages/message-bus/src/kafka/lost-answers.server.spec.ts',
    file: 'packages/message-bus/src/kafka/client.ts',
    text: 'idempotent: true,',
    by: 'idempotent: false,',
    loss: 'A message that the broker stored but did not acknowledge is on the topic twice.',
    says: /expected \d+ to be \d+/,
  },
  {
    name: 'no-repair',
    fault: 'MongoDB down for a minute',
    spec,
    test: 'when MongoDB is down',
    file: 'packages/event-store/src/repair.ts',
    text: 'if (missing.length > 0) await documents.put(missing)',
    by: 'void missing',
    loss: 'Events written while MongoDB was down are in no read model.',
    says: /missing-document|stale-document/,
  },
  {
    name: 'write-sent-again',
    fault: 'a network cut between gateway and services',
    spec,
    test: 'when connections from the gateway to the services are cut',
    file: 'services/gateway/src/forwarding/forward.ts',
    text: `      const wanted = wantedOf(operation, request, response)
      current = exchange(pool, wanted, response, { onHead, onCut })
      try {
        await current.over
      } catch (error) {
        // The service may close an idle connection at the moment it is used. Repeating a read is safe.
        if (operation.method !== 'GET' || hasHead`,
    by: `      const once = wantedOf(operation, request, response)
      const parts = once.body === null ? null : await new Response(once.body as never).text()
      const wanted = { ...once, body: parts }
      current = exchange(pool, wanted, response, { onHead, onCut })
      try {
        await current.over
      } catch (error) {
        if (hasHead`,
    loss: 'A write whose answer was lost is executed twice.',
    says: /doubled-event|refused-event/,
  },
  {
    name: 'broken-reported-as-refused',
    fault: 'a network cut between gateway and services',
    spec,
    test: 'when connections from the gateway to the services are cut',
    file: 'services/gateway/src/forwarding/failures.ts',
    text: "new AssayError('bad-gateway', `The connection",
    by: "new AssayError('conflict', `The connection",
    loss: 'A caller gets a refusal for a write that succeeded.',
    says: /refused-event/,
  },
]
