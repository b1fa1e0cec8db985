import { ofKills } from './of-kills.ts'
import { ofOthers } from './of-others.ts'
import { ofReplicas } from './of-replicas.ts'
import { ofServers } from './of-servers.ts'
import type { Sabotage } from './sabotage.ts'

/** At least one for each fault that the tests cause. */
export const sabotages: readonly Sabotage[] = [...ofKills, ...ofServers, ...ofReplicas, ...ofOthers]
