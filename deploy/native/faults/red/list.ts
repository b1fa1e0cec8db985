import { ofKills } from './of-kills.ts'
import { ofOthers } from './of-others.ts'
import { ofReplicas } from './of-replicas.ts'
import { ofServers } from './of-servers.ts'
import type { Sabotage } from './sabotage.ts'

/** One or more for each fault that the tests make. */
export const sabotages: readonly Sabotage[] = [...ofKills, ...ofServers, ...ofReplicas, ...ofOthers]
