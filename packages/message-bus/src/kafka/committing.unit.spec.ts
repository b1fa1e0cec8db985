import { expect, it, vi } from 'vitest'
import { type Committable, createCommits } from './committing.ts'

const committable = (partition: number): Committable => ({
  topic: 'a',
  partition,
  handled: () => ({ offset: 7, beyond: [] }),
})

/** Commits to a cluster that behaves like `commit`; the test triggers them. */
function commitsTo(commit: (partitions: number[]) => Promise<void>) {
  const errors: unknown[] = []
  let isOver = () => {}
  const commits = createCommits({
    everyMs: 1,
    timeoutMs: 2,
    timers: {
      sleep: (milliseconds) =>
        new Promise((resolve) => {
          if (milliseconds === 2) isOver = resolve
        }),
      every: () => ({ stop: () => undefined }),
    },
    commit: (offsets) => commit(offsets.map(({ partition }) => partition)),
    onError: (error) => errors.push(error),
  })
  return { commits, errors, isOver: () => isOver() }
}

it('given a commit that is never answered, when it times out, then the next commit includes its offsets', async () => {
  const seen: number[][] = []
  const { commits, errors, isOver } = commitsTo((partitions) => {
    seen.push(partitions)
    return seen.length === 1 ? new Promise(() => {}) : Promise.resolve()
  })
  commits.soon(committable(0))
  const first = commits.now()
  const second = commits.now()
  await vi.waitUntil(() => seen.length === 1)
  isOver()
  await first
  await second
  expect(seen).toEqual([[0], [0]])
  expect(errors).toHaveLength(1)
})

it('given a partition that is lost during its commit, when the commit fails, then the partition is not committed again', async () => {
  const seen: number[][] = []
  const [lost, kept] = [committable(0), committable(1)]
  const { commits } = commitsTo(async (partitions) => {
    seen.push(partitions)
    if (seen.length > 1) return
    commits.forget(lost)
    throw new Error('no answer')
  })
  commits.soon(lost)
  commits.soon(kept)
  await commits.now()
  await commits.now()
  expect(seen).toEqual([[0, 1], [1]])
})
