import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { schemathesisSuite } from '../../packages/testkit/src/http-suite/index.ts'
import { type Installation, type Servers, startInstallation, startServers } from './installation.fixture.ts'

let folder: string
let servers: Servers
let installation: Installation

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-tried-'))
  await mkdir(join(folder, 'shared'))
  servers = await startServers()
  const moreOfGateway = { ASSAY_FAILED_AUTHENTICATION_LIMIT: '0', ASSAY_RATE_LIMIT: '0' }
  installation = await startInstallation(servers, folder, { moreOfGateway })
}, 300_000)
afterAll(async () => {
  await installation?.stop()
  await servers?.stop()
  await rm(folder, { recursive: true, force: true })
}, 120_000)

// Fewer requests than for the embedded form, because both share the code of the schemas. Set SCHEMATHESIS_... for more.
schemathesisSuite(
  async () => ({
    baseUrl: installation.url,
    admin: installation.topology.admin,
    sharedFolder: join(folder, 'shared'),
  }),
  { examples: 1, share: 60, rounds: 1 },
)
