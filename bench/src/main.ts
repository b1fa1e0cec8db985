import { benchAppend } from './append.bench.ts'
import { benchCompare } from './compare.bench.ts'
import { benchCrawl } from './crawl.bench.ts'
import { benchDeliveries } from './deliveries.bench.ts'
import { benchDetector } from './detector.bench.ts'
import { benchDetectorReal } from './detector-real.bench.ts'
import { benchDistributed } from './distributed.bench.ts'
import { benchDrift } from './drift.bench.ts'
import { benchEventStreams } from './event-streams.bench.ts'
import { benchInbox } from './inbox.bench.ts'
import { benchPolicy } from './policy.bench.ts'
import { benchProfile, benchProfileWhole } from './profile.bench.ts'
import { benchPushDown } from './push-down.bench.ts'
import type { BenchRow } from './ratio.ts'
import { benchRead } from './read.bench.ts'
import { benchRun } from './run.bench.ts'
import { benchSchedulerKills } from './scheduler-kills.bench.ts'
import { benchSchedules } from './schedules.bench.ts'
import { benchSearch } from './search.bench.ts'
import { benchSearchMongo } from './search-mongo.bench.ts'
import { benchSketch } from './sketch.bench.ts'
import { benchStart } from './start.bench.ts'
import { benchStreams } from './streams.bench.ts'
import { benchTrino } from './trino.bench.ts'
import { benchVisits } from './visits.bench.ts'
import { benchYear } from './year.bench.ts'

const benches: Record<string, () => Promise<BenchRow[]>> = {
  append: benchAppend,
  streams: benchStreams,
  schedules: benchSchedules,
  start: benchStart,
  policy: benchPolicy,
  visits: benchVisits,
  compare: benchCompare,
  profile: benchProfile,
  'profile-whole': benchProfileWhole,
  'push-down': benchPushDown,
  trino: benchTrino,
  sketch: benchSketch,
  run: benchRun,
  read: benchRead,
  search: benchSearch,
  'search-mongo': benchSearchMongo,
  crawl: benchCrawl,
  detector: benchDetector,
  'detector-real': benchDetectorReal,
  drift: benchDrift,
  deliveries: benchDeliveries,
  inbox: benchInbox,
  'event-streams': benchEventStreams,
  year: benchYear,
  distributed: benchDistributed,
  'scheduler-kills': benchSchedulerKills,
}
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in benches))
if (unknown.length > 0) {
  process.stderr.write(`No bench named ${unknown.join(', ')}. Known: ${Object.keys(benches).join(', ')}.\n`)
  process.exit(1)
}

const rows: BenchRow[] = []
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  process.stderr.write(`${name} ...\n`)
  rows.push(...(await bench()))
}
const width = Math.max(...rows.map((row) => row.name.length))
process.stdout.write(`${'measure'.padEnd(width)}  ${'ratio'.padStart(7)}  ${'target'.padEnd(14)}  figures\n`)
for (const row of rows)
  process.stdout.write(
    `${row.name.padEnd(width)}  ${row.ratio.toFixed(2).padStart(7)}  ${row.target.padEnd(14)}  ${row.detail}\n`,
  )
