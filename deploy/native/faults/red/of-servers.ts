import type { Sabotage } from './sabotage.ts'

const spec = 'deploy/native/faults/servers.server.spec.ts'

export const ofServers: readonly Sabotage[] = [
  {
    name: 'append-again-with-new-ids',
    fault: 'answers of the event store lost after it has written',
    spec,
    test: 'when answers of the event store are lost after it has written',
    file: 'packages/event-store/src/eventstoredb/append.ts',
    text: 'events.map(({ id, type, data, metadata }) => jsonEvent({ id, type, data, metadata }))',
    by: 'events.map(({ type, data, metadata }) => jsonEvent({ id: crypto.randomUUID(), type, data, metadata }))',
    loss: 'A write that has happened meets itself as the write of another, is decided anew, and is refused or doubled.',
    says: /refused-event|doubled-event|changed-message|broken-stream/,
  },
  {
    name: 'unknown-outcome-not-sent-again',
    fault: 'answers of the event store lost after it has written',
    spec: 'packages/event-store/src/eventstoredb/faults.int.spec.ts',
    test: 'given answers that are always lost',
    file: 'packages/event-store/src/append-again.ts',
    text: '      if (!unknown) throw error\n',
    by: '      throw error\n',
    loss: 'Callers are told that nothing is known of a write, where one more try with the same ids would have said it.',
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
    loss: 'What the broker did not take is never sent again: others do not hear of it.',
    says: /lost-message/,
  },
  {
    name: 'ended-consumer-left',
    fault: 'the broker killed and restarted',
    spec: 'packages/message-bus/src/kafka/failed-join.server.spec.ts',
    file: 'packages/message-bus/src/kafka/subscription.ts',
    text: '      if (stopping.signal.aborted) return\n      starting = start()',
    by: '      if (!stopping.signal.aborted) return\n      starting = start()',
    loss: 'A consumer that the driver gave up when the coordinator of its group moved hears nothing more.',
    says: /expected/,
  },
  {
    name: 'producer-not-idempotent',
    fault: 'the broker killed and restarted',
    spec: 'packages/message-bus/src/kafka/lost-answers.server.spec.ts',
    file: 'packages/message-bus/src/kafka/client.ts',
    text: 'idempotent: true,',
    by: 'idempotent: false,',
    loss: 'What the broker has taken and not acknowledged stands on the topic twice.',
    says: /expected \d+ to be \d+/,
  },
  {
    name: 'no-repair',
    fault: 'MongoDB gone for a minute',
    spec,
    test: 'when MongoDB is away',
    file: 'packages/event-store/src/repair.ts',
    text: 'if (missing.length > 0) await documents.put(missing)',
    by: 'void missing',
    loss: 'What was written to the log while MongoDB was away is in no read model.',
    says: /missing-document|stale-document/,
  },
  {
    name: 'write-sent-again',
    fault: 'a network cut between gateway and services',
    spec,
    test: 'when the ways from the gateway to the services are cut',
    file: 'services/gateway/src/forwarding/forward.ts',
    text: `      const wanted = wantedOf(operation, request, response)
      current = exchange(pool, wanted, response, { onHead, onCut })
      try {
        await current.over
      } catch (error) {
        // A kept connection may be closed at the very moment it is used. Repeating a read is safe.
        if (operation.method !== 'GET' || hasHead`,
    by: `      const once = wantedOf(operation, request, response)
      const parts = once.body === null ? null : await new Response(once.body as never).text()
      const wanted = { ...once, body: parts }
      current = exchange(pool, wanted, response, { onHead, onCut })
      try {
        await current.over
      } catch (error) {
        if (hasHead`,
    loss: 'A write whose answer was lost is carried out twice.',
    says: /doubled-event|refused-event/,
  },
  {
    name: 'broken-told-as-refused',
    fault: 'a network cut between gateway and services',
    spec,
    test: 'when the ways from the gateway to the services are cut',
    file: 'services/gateway/src/forwarding/failures.ts',
    text: "new AssayError('bad-gateway', `The connection",
    by: "new AssayError('conflict', `The connection",
    loss: 'A caller is told that a write was refused that has happened.',
    says: /refused-event/,
  },
]
