import { EventEmitter } from 'node:events'
import { deserialize, serialize } from 'node:v8'
import type { DuckDBInstance } from '@duckdb/node-api'
import { openDatabase } from '../duckdb/child/database.ts'
import { serveOnce } from '../duckdb/child/serve.ts'
import type { EngineProcess } from '../duckdb/child-process.ts'
import { createDuckDbEngine, type DuckDbEngine, type DuckDbEngineOptions } from '../duckdb/engine.ts'
import type { FromChild } from '../duckdb/protocol.ts'

/**
 * A child without a process. It does the same work on its own engine instance. Messages are copied, as they are between
 * processes.
 */
function childInProcess(): EngineProcess {
  const events = new EventEmitter()
  let instance: Promise<DuckDBInstance> | undefined
  let isConnected = true
  let isWorking = false

  const exit = () => {
    if (!isConnected) return
    isConnected = false
    void instance?.then((opened) => opened.closeSync()).catch(() => undefined)
    events.emit('exit')
  }
  const serve = serveOnce({
    instance() {
      instance ??= openDatabase()
      return instance
    },
    send(message: FromChild, sent) {
      const copy: unknown = deserialize(serialize(message))
      setImmediate(() => {
        events.emit('message', copy)
        sent?.()
      })
    },
    ended: exit,
  })

  return {
    get connected() {
      return isConnected
    },
    send(message, sent) {
      const copy = deserialize(serialize(message))
      isWorking ||= message.kind === 'run'
      setImmediate(() => {
        serve(copy)
        sent(null)
      })
      return true
    },
    kill() {
      // Running work ends when it next checks the signal.
      if (isWorking) serve({ kind: 'cancel' })
      else exit()
      return true
    },
    on: (event, listener) => events.on(event, listener),
    once: (event, listener) => events.once(event, listener),
  }
}

/**
 * DuckDB for tests of results. Starts no processes, because each would take a third of a second of a core. Tests of
 * memory limits, time limits and dying children need `createDuckDbEngine`.
 */
export function createEngineInProcess(options: Partial<Omit<DuckDbEngineOptions, 'spawnChild'>> = {}): DuckDbEngine {
  return createDuckDbEngine({ memoryMb: 512, threads: 1, clock: Date, ...options, spawnChild: childInProcess })
}
