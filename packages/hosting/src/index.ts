export { type ArtifactChoice, chooseArtifacts } from './adapters/artifacts.ts'
export { type BusChoice, type ChosenBus, chooseBus, waitingFor } from './adapters/bus.ts'
export { busGroups } from './adapters/bus-groups.ts'
export { busOfInstallation } from './adapters/bus-of-installation.ts'
export { lineageOf } from './adapters/lineage-receiver.ts'
export { measuredBus } from './adapters/measured-bus.ts'
export { measuredProcessors } from './adapters/measured-processors.ts'
export { createResultsCheck } from './adapters/readiness.ts'
export { createRepairing } from './adapters/repairing.ts'
export { chooseStores, type StoreChoice, type Stores } from './adapters/stores.ts'
export { addressed, distributed } from './config/distributed.ts'
export {
  allowedBrokers,
  allowedFolders,
  allowedHosts,
  artifactVariables,
  busVariables,
  commaList,
  engineServiceVariables,
  installationVariables,
  lineageVariables,
  notifyVariables,
  sealingKeysOf,
  sealingVariables,
  serviceUrl,
  serviceVariables,
  storeVariables,
  switchedOn,
  whole,
} from './config/variables.ts'
export { createFirstBadRowsClient } from './first-bad-rows/first-bad-rows-client.ts'
export { firstBadRowsRoute } from './first-bad-rows/first-bad-rows-route.ts'
export { createServiceApp } from './http/service-app.ts'
export { createPrepareClient } from './preparing/prepare-client.ts'
export { prepareRoute } from './preparing/prepare-route.ts'
export { preparePath } from './preparing/wire.ts'
export { compactAfterStart } from './process/compact.ts'
export {
  type Ambient,
  createHostWithBus,
  type Host,
  type Hosted,
  type HostWithBus,
} from './process/host.ts'
export { createHostWithArtifacts } from './process/host-with-artifacts.ts'
export { readConfig } from './process/read-config.ts'
export { type Composed, type ProcessConfig, runService } from './process/run-service.ts'
