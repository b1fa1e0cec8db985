import type { Timers } from '@assay/service-kit'
import type { Admin } from 'kafkajs'
import type { ParkedEntry, ParkedMessages } from '../parked-messages.ts'
import type { Delivery, Outcome } from '../port.ts'
import type { Retry } from '../retry.ts'
import type { Commits, Committable } from './committing.ts'
import { type LoadedState, loadState } from './loading.ts'
import type { Names } from './names.ts'
import { createParkingWriter, type ParkingWriter } from './parking-writer.ts'
import { createPartition, type Partition } from './partition.ts'
import type { Slots } from './slots.ts'

/** A partition that the group has assigned to this member. */
export interface AssignedPartition {
  /** The topic's name on the cluster. */
  name: string
  partition: number
  /** `undefined` until its state is loaded. */
  state(): Partition | undefined
  isLost(): boolean
  /** Resolves when the state is loaded, or the partition is lost. */
  loaded: Promise<void>
  /** Resolves when fewer than `count` messages wait. */
  below(count: number): Promise<void>
}

interface Assigned extends AssignedPartition {
  topic: string
  writer: ParkingWriter
  lose(): void
  /** Wakes callers of `below`. */
  changed(): void
}

/** The assigned partitions of a member, across rebalances of the group. */
export interface AssignedPartitions {
  find(name: string, partition: number): AssignedPartition | undefined
  assignment(): Record<string, number[]>
  /**
   * Applies the group's new assignment. Partitions that were assigned before continue if `isContinuous`, which means
   * that no other member can have had them meanwhile. Returns these partitions with their next offsets.
   */
  assign(
    assignment: Readonly<Record<string, readonly number[]>>,
    isContinuous: boolean,
  ): { name: string; partition: number; next: number }[]
  /** Starts handling one message. Partitions are served round-robin. Returns whether there was a message. */
  begin(): boolean
  flushed(): Promise<void>
  /** Queues messages that were released, here or by another process. */
  checkReplays(): void
  /** Call it once all partitions are lost. Drops unwritten changes. */
  close(): void
}

const pauseAfterFault = 500

export function createAssignedPartitions(options: {
  admin: Admin
  store: ParkedMessages
  names: Names
  topics: readonly string[]
  group: string
  groupId: string
  handle: (delivery: Delivery) => Promise<Outcome>
  retry: Retry
  timers: Timers
  slots: Slots
  commits: Commits
  /** Whether the group has confirmed the membership of this process within its session. */
  isConfirmed: () => boolean
  stopped: AbortSignal
  onError: (error: unknown, about: string) => void
}): AssignedPartitions {
  const { admin, store, names, group, groupId, commits, slots, timers, onError } = options
  const topicOf = new Map(options.topics.map((topic) => [names.topic(topic), topic]))
  /** Partitions by topic and number, in the order of rotation. */
  const held = new Map<string, Assigned>()
  /** Earlier assignments. Messages that they handled must no longer be committed. */
  const former = new Map<string, { state: Partition; writer: ParkingWriter }>()
  const keyOf = (name: string, partition: number) => `${name}\0${partition}`
  let isChecking = false

  function hold(name: string, topic: string, partition: number): Assigned {
    const key = keyOf(name, partition)
    const lost = new AbortController()
    const before = former.get(key)
    let state: Partition | undefined
    let below: { count: number; resolve: () => void } | undefined
    const writer = createParkingWriter({
      store,
      timers,
      isConfirmed: options.isConfirmed,
      onError: (error) => onError(error, 'Parked messages could not be written. The write is retried.'),
    })
    const committable: Committable = {
      topic: name,
      partition,
      handled: () => state?.handled() ?? { offset: 0, beyond: [] },
    }

    async function load(): Promise<void> {
      // A running handler of the earlier assignment must not overlap with a new one.
      while ((before?.state.running() ?? 0) > 0 && !lost.signal.aborted) await timers.sleep(20, lost.signal)
      await before?.writer.flushed()
      while (!lost.signal.aborted) {
        try {
          const known = before?.state.handled()
          const loaded = await loadState({ admin, groupId, topic: name, partition, known })
          // Read after the commits, so that every message that the commits skip as parked is found.
          const entries = await store.ofPartition({ group, topic, partition })
          if (!lost.signal.aborted) begin(loaded, entries)
          return
        } catch (error) {
          onError(error, 'The state of a partition could not be read. The read is retried.')
          await timers.sleep(pauseAfterFault, lost.signal)
        }
      }
    }

    function begin({ handled, missed }: LoadedState, entries: readonly ParkedEntry[]): void {
      if (missed > 0)
        onError(
          new Error(`${missed} messages of ${name}/${partition} have been removed.`),
          'Kafka removed messages before the group had handled them. Increase the retention.',
        )
      former.delete(key)
      state = createPartition({
        ...options,
        handled,
        entries,
        topic,
        partition,
        writer,
        onHandled() {
          if (!lost.signal.aborted) commits.soon(committable)
          assigned.changed()
        },
      })
      commits.soon(committable)
      slots.wake()
    }

    const assigned: Assigned = {
      name,
      topic,
      partition,
      writer,
      state: () => state,
      isLost: () => lost.signal.aborted,
      loaded: load(),
      below: (count) =>
        new Promise((resolve) => {
          below = { count, resolve }
          assigned.changed()
        }),
      changed() {
        if (below === undefined || (state !== undefined && state.waiting() >= below.count)) return
        below.resolve()
        below = undefined
      },
      lose() {
        lost.abort()
        commits.forget(committable)
        writer.lose()
        state?.lose()
        if (state !== undefined) former.set(key, { state, writer })
      },
    }
    return assigned
  }

  async function readReleased(): Promise<void> {
    if (![...held.values()].some(({ state }) => state()?.hasParked())) return
    const released = Map.groupBy(await store.released(group), ({ topic, partition }) =>
      keyOf(names.topic(topic), partition),
    )
    for (const [key, entries] of released)
      await held
        .get(key)
        ?.state()
        ?.replay(entries.map(({ key }) => key))
  }

  return {
    find: (name, partition) => held.get(keyOf(name, partition)),
    assignment() {
      const assignment: Record<string, number[]> = {}
      for (const { name, partition } of held.values()) assignment[name] = [...(assignment[name] ?? []), partition]
      return assignment
    },
    assign(assignment, isContinuous) {
      const wanted = new Map<string, { name: string; topic: string; partition: number }>()
      for (const [name, partitions] of Object.entries(assignment)) {
        const topic = topicOf.get(name)
        if (topic !== undefined)
          for (const partition of partitions) wanted.set(keyOf(name, partition), { name, topic, partition })
      }
      for (const [key, assigned] of held) {
        if (isContinuous && wanted.has(key)) continue
        assigned.lose()
        held.delete(key)
      }
      const continued = [...held.values()].flatMap(({ name, partition, state }) => {
        const next = state()?.next()
        return next === undefined ? [] : [{ name, partition, next }]
      })
      for (const [key, { name, topic, partition }] of wanted)
        if (!held.has(key)) held.set(key, hold(name, topic, partition))
      return continued
    },
    begin() {
      for (const [key, assigned] of held) {
        if (assigned.state()?.begin() !== true) continue
        held.delete(key)
        held.set(key, assigned)
        return true
      }
      return false
    },
    async flushed() {
      await Promise.all([...held.values()].map(({ writer }) => writer.flushed()))
    },
    close() {
      for (const { writer } of former.values()) writer.close()
    },
    checkReplays() {
      if (isChecking || options.stopped.aborted) return
      isChecking = true
      void readReleased()
        .catch((error: unknown) => onError(error, 'Messages to replay could not be read. The read is retried.'))
        .finally(() => {
          isChecking = false
        })
    },
  }
}
