import { createEmbeddedBus } from '@assay/message-bus/embedded'
import { messageOf } from '@assay/service-kit'
import { systemClock, systemTimers } from '@assay/service-kit/node'
import { busGroups } from '../adapters/bus-groups.ts'
import { type MessagesCommand, messagesOf, type ParkedCommand, parkedCommandOf, runParked, usage } from './parked.ts'
import { openDataFolder, openPlace, type PlacesConfig, placesConfig, placesOf } from './places.ts'
import { runStreams } from './streams.ts'

async function* messages(config: PlacesConfig, command: MessagesCommand): AsyncIterable<string> {
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
  const places: Awaited<ReturnType<typeof openPlace>>[] = []
  try {
    for (const name of placesOf(config)) places.push(await openPlace(config, name))
    yield* runParked(messagesOf(places.map((place) => place.messages)), command, busGroups)
  } finally {
    for (const place of places) await place.close()
  }
}

async function* answer(config: PlacesConfig, command: ParkedCommand): AsyncIterable<string> {
  const open = (name: string) => openPlace(config, name)
  if (command.verb === 'list-streams' || command.verb === 'replay-streams') {
    yield* runStreams(placesOf(config), open, command)
    return
  }
  yield* messages(config, command)
  if (command.verb === 'list' && command.topic === undefined)
    yield* runStreams(placesOf(config), open, { verb: 'list-streams' })
}

async function main(): Promise<void> {
  const command = parkedCommandOf(process.argv.slice(2))
  if (command === undefined) {
    process.stderr.write(usage)
    process.exitCode = 78
    return
  }
  for await (const text of answer(placesConfig(process.env), command)) process.stdout.write(text)
}

main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exitCode = 1
})
