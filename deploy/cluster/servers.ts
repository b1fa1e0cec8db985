/** The servers of a test cluster, in the namespace `servers`: images of deploy/containers, without volumes. */
const server = (name: string, image: string, port: number, env: Readonly<Record<string, string>> = {}) => [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'servers' },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          enableServiceLinks: false,
          containers: [
            {
              name,
              image,
              imagePullPolicy: 'Never',
              env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
              // Without requests, the servers would get only unused CPU, which a busy machine does not have.
              resources: { requests: { cpu: '200m', memory: '256Mi' } },
              readinessProbe: { tcpSocket: { port }, periodSeconds: 1, failureThreshold: 120 },
            },
          ],
        },
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'servers' },
    spec: { selector: { app: name }, ports: [{ port }] },
  },
]

export const serverImages = [
  'assay-local/kafka:4.3.1',
  'assay-local/secantusdb:0.7.0',
  'assay-local/events:1.0.0',
] as const

export const servers = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'servers' } },
  ...server('kafka', serverImages[0], 9092, {
    KAFKA_NODE_ID: '1',
    KAFKA_PROCESS_ROLES: 'broker,controller',
    KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
    KAFKA_LISTENERS: 'PLAINTEXT://:9092,CONTROLLER://:9093',
    KAFKA_ADVERTISED_LISTENERS: 'PLAINTEXT://kafka.servers:9092',
    KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
    KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
    KAFKA_INTER_BROKER_LISTENER_NAME: 'PLAINTEXT',
    KAFKA_LOG_DIRS: '/var/lib/kafka/data',
    KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
    KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
    KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: '1',
    KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
    KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
    KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
  }),
  ...server('mongodb', serverImages[1], 27_017),
  ...server('eventstoredb', serverImages[2], 2113),
]

/** A volume on the node, for a claim of the chart. */
export const volume = (name: string, claim: { namespace: string; name: string }, path: string, mode: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: [mode],
    claimRef: claim,
    hostPath: { path, type: 'Directory' },
  },
})
