import type { Sabotage } from './sabotage.ts'

const fault = 'kill -9 of each service under load'
const spec = 'deploy/native/faults/servers.server.spec.ts'
const test = 'when each is killed in turn'

export const ofKills: readonly Sabotage[] = [
  {
    name: 'offset-before-handling',
    fault,
    spec,
    test,
    file: 'packages/message-bus/src/kafka/partition.ts',
    text: '      const outcome = await outcomeOf(entry)\n',
    by: `      if (!entry.replay) {
        progress.handle(entry.seq)
        options.onHandled()
        await timers.sleep(100)
      }
      const outcome = await outcomeOf(entry)
`,
    loss: 'The offset of the message that a killed member was handling is already committed, so nobody handles it. (A pause makes the kill hit that moment.)',
    says: /lost-effect|missing-document|stale-document/,
  },
  {
    name: 'checkpoint-before-handling',
    fault,
    spec,
    test,
    file: 'packages/event-store/src/processor.ts',
    text: '    if (!(await handleBatch(slice.events))) return\n',
    by: `    if (slice.events.length > 0) {
      if (!(await keep(slice.position))) return
      await timers.sleep(200)
    }
    if (!(await handleBatch(slice.events))) return
`,
    loss: 'The next publisher skips events that the killed one had not published. (A pause makes the kill hit that moment.)',
    says: /lost-message|missing-document|stale-document/,
  },
  {
    name: 'claims-not-taken-over',
    fault: 'a run is taken over after its claim has expired',
    spec,
    test,
    file: 'packages/work/src/open-work.ts',
    text: 'Date.parse(work.claim.until)',
    by: 'Number.MAX_SAFE_INTEGER',
    loss: 'A run whose worker was killed never ends, and its policy can never run again.',
    says: /run-open/,
  },
]
