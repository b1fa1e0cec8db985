import { createEmbeddedBus } from '@assay/message-bus/embedded'
import { messageOf } from '@assay/service-kit'
import { systemClock, systemTimers } from '@assay/service-kit/node'
import { busGroups } from '../adapters/bus-groups.ts'
import { openDataFolder, openStore, type StoresConfig, storeNames, storesConfig } from './checkpoint-stores.ts'
import { type MessagesCommand, messagesOf, type ParkedCommand, parkedCommandOf, runParked, usage } from './parked.ts'
import { runStreams } from './streams.ts'

async function* messages(config: StoresConfig, command: MessagesCommand): AsyncIterable<string> {
  if (config.ASSAY_BUS === 'embedded') {
    const { database, close } = openDataFolder(config.ASSAY_DATA_DIR, command.verb !== 'list')
    const bus = createEmbeddedBus({ database, clock: systemClock, timers: systemTimers })
    try {
      yield* runParked(bus, command, busGroups)
    } finally {
      await bus.close()
      await close()
    }
    return
  }
  const stores: Awaited<ReturnType<typeof openStore>>[] = []
  try {
    for (const name of storeNames(config)) stores.push(await openStore(config, name))
    yield* runParked(messagesOf(stores.map((store) => store.messages)), command, busGroups)
  } finally {
    for (const store of stores) await store.close()
  }
}

async function* answer(config: StoresConfig, command: ParkedCommand): AsyncIterable<string> {
  const open = (name: string) => openStore(config, name)
  if (command.verb === 'list-streams' || command.verb === 'replay-streams') {
    yield* runStreams(storeNames(config), open, command)
    return
  }
  yield* messages(config, command)
  if (command.verb === 'list' && command.topic === undefined)
    yield* runStreams(storeNames(config), open, { verb: 'list-streams' })
}

async function main(): Promise<void> {
  const command = parkedCommandOf(process.argv.slice(2))
  if (command === undefined) {
    process.stderr.write(usage)
    process.exitCode = 78
    return
  }
  for await (const text of answer(storesConfig(process.env), command)) process.stdout.write(text)
}

main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exitCode = 1
})
