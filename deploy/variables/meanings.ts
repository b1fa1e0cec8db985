/** The meaning of each variable, for docs/operations.md. */
export const meanings: Readonly<Record<string, string>> = {
  PORT: 'port to listen on; 0 takes a free one and prints it',
  ASSAY_HOST: 'address to listen on',
  ASSAY_INSTALLATION: 'name of this installation, part of the source of public events (`/assay/<name>/<service>`)',
  ASSAY_OPENLINEAGE_URL: 'receiver of OpenLineage events of runs, such as `http://marquez:5000`; absent: none',
  ASSAY_OPENLINEAGE_API_KEY: 'sent to the receiver of OpenLineage events as Bearer token',
  ASSAY_NOTIFY_REPEAT_WINDOW:
    'seconds for which repeats of a notification to the same recipient are counted in its row instead of listed again; 0: repeats are never grouped',
  ASSAY_IDENTITY_SECRET:
    'secret that signs the identity of callers between services: at least 32 characters, the same for all',
  ASSAY_IDENTITY_SECRET_ALSO:
    'second secret that is accepted but never used to sign, to rotate the secret without downtime',
  ASSAY_START_WAIT_SECONDS: 'how long a starting service waits for its servers',
  ASSAY_LOG_LEVEL: 'trace, debug, info, warn, error or silent',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'address of a collector for traces (OTLP over HTTP); absent: no traces',
  ASSAY_EVENT_STORE: 'store of the event log: eventstoredb or sqlite (sqlite only in standalone)',
  ASSAY_EVENTSTOREDB_URL: 'connection string with user and TLS; required with eventstoredb',
  ASSAY_DOCUMENTS: 'store of the read models: mongodb or sqlite (sqlite only in standalone)',
  ASSAY_MONGODB_URL:
    'connection string; required with mongodb; add `retryWrites=false` if the server is not a replica set',
  ASSAY_MONGODB_DATABASE: 'database; absent: `assay_<service>`',
  ASSAY_BUS: 'message bus between services: kafka or embedded (embedded only in standalone)',
  ASSAY_KAFKA_BROKERS: '`host:port`, comma-separated; required with kafka',
  ASSAY_KAFKA_PARTITIONS: 'partitions of new topics; replicas beyond this number get no messages',
  ASSAY_KAFKA_REPLICATION:
    'replication factor of new topics; from 3 on, two replicas must be in sync to accept a message',
  ASSAY_KAFKA_SESSION_TIMEOUT_MS:
    'how long a member may be silent before its group counts it as dead and continues without it',
  ASSAY_KAFKA_PREFIX: 'prefix of the names of topics and groups',
  ASSAY_KAFKA_TLS: 'on or off',
  ASSAY_KAFKA_SASL:
    'plain, scram-sha-256 or scram-sha-512; set it together with user name and password, or none of the three',
  ASSAY_KAFKA_USERNAME: 'see `ASSAY_KAFKA_SASL`',
  ASSAY_KAFKA_PASSWORD: 'see `ASSAY_KAFKA_SASL`',
  ASSAY_ARTIFACTS: 'store of results, samples and rows of validations: filesystem or s3',
  ASSAY_RESULTS_DIR:
    'filesystem: the folder of the results, on a volume that all replicas of the service mount (standalone: by default `results` in the data folder); s3: a local folder for unfinished files, absent: below `/tmp`',
  ASSAY_S3_BUCKET: 'bucket; required with s3; it must exist',
  ASSAY_S3_PREFIX: 'prefix of every key',
  ASSAY_S3_REGION: 'region of the bucket',
  ASSAY_S3_ENDPOINT: 'address of a server other than AWS',
  ASSAY_S3_PATH_STYLE: 'on: the bucket is in the path, not in the host name',
  ASSAY_S3_ACCESS_KEY_ID: 'access key; if it and the secret are absent, the role or profile of the environment is used',
  ASSAY_S3_SECRET_ACCESS_KEY: 'see `ASSAY_S3_ACCESS_KEY_ID`',
  ASSAY_ALLOWED_PATHS:
    'folders that sources may be in, comma-separated: `folder` (for the tenant `default`), `tenant=folder` or `*=folder` (for every tenant); absent: in standalone, `default` may read everything except the data folder; all others may read nothing',
  ASSAY_ALLOWED_BROKERS:
    'Kafka brokers that sources may be read from, comma-separated: `host:port` (for the tenant `default`), `tenant=host:port` or `*=host:port` (for every tenant). List all brokers that the cluster advertises. If absent, no tenant may read any broker; one exception: in standalone, `default` may read all, unless `ASSAY_BUS` is kafka',
  ASSAY_ALLOWED_HOSTS:
    'hosts of databases and object stores that sources may be read from, comma-separated: `host` or `host:port` (for the tenant `default`), `tenant=host` or `*=host` (for every tenant); link-local addresses and metadata services are never reached; absent: in standalone, `default` may reach any; all others may reach none',
  ASSAY_NOTIFY_ALLOWED_ADDRESSES:
    'private networks to which notifications may be sent, comma-separated: `10.0.0.0/8`, `fd00::/8` or single addresses; plain `http://` is possible only to these',
  ASSAY_NOTIFY_BAD_ROWS:
    'on or off: whether e-mails and messages to Slack and Teams show the first bad rows of a run; without values of protected columns',
  ASSAY_NOTIFY_PAUSE_AFTER: 'number of consecutive failed attempts after which a notification channel is paused',
  ASSAY_NOTIFY_RETRIES:
    'seconds between the attempts of a delivery, comma-separated, each up to 20 % earlier or later; after the last one the delivery is parked; absent: 2, 10, 60, 300, 1800, 3600, 7200, 14400, 28800, 28800',
  ASSAY_SMTP_FROM: 'sender of e-mails',
  ASSAY_SMTP_URL:
    'mail server: `smtp://` demands STARTTLS, `smtps://` is TLS, `smtp+plain://` sends in clear; with user name and password if needed; absent: EMAIL channels are refused',
  ASSAY_PUBLIC_URL:
    'address at which people reach Assay, which precedes the links in messages; absent: links are paths, and mails and chats have none',
  ASSAY_SEALING_KEY:
    'seals the passwords of sources and the secrets of notification channels: at least 32 characters, the same for all services; absent: in standalone, a file in the data folder; in services, sources with passwords and channels with secrets are refused',
  ASSAY_SEALING_KEY_ALSO:
    'second sealing key, for rotations: it opens values that it has sealed, but seals no new ones',
  ASSAY_TEMP_DIR:
    'folder for temporary files of the engine, not shared with other processes; absent: a new one below `/tmp`, removed at the end',
  ASSAY_MAX_RUNS: 'maximum number of concurrent runs of the engine in each process; others wait',
  ASSAY_RUN_MEMORY_MB: 'memory of the engine for one run',
  ASSAY_SHORT_TASK_MEMORY_MB:
    'memory of the engine for one short task (a table of a crawl, a check, a sample); absent: 512, or `ASSAY_RUN_MEMORY_MB` if that is less',
  ASSAY_RUN_THREADS: 'threads of the engine for one run; 0: the number of cores',
  ASSAY_RUN_TIMEOUT_MINUTES: 'time limit of a run whose policy sets none',
  ASSAY_RUN_MAX_MINUTES: 'highest time limit of a run; longer limits of policies are reduced to it',
  ASSAY_RUN_TEMP_MB: 'temporary disk space of one run',
  ASSAY_RETENTION_ROWS:
    'days for which the stored rows of a run are kept, and the states of replaced profiles; runs and figures stay',
  ASSAY_EXECUTION_URL: 'address of the execution service',
  ASSAY_CATALOG_URL: 'address of the catalog service',
  ASSAY_POLICY_URL: 'address of the policy service',
  ASSAY_SAMPLING_URL: 'address of the sampling service; absent: its operations answer 404',
  ASSAY_NOTIFICATION_URL: 'address of the notification service; absent: its operations answer 404',
  ASSAY_ADMIN_ACCESS_KEY:
    'access key of the administrator, 16 to 128 of `A-Za-z0-9_-`; by default, standalone creates it at the first start and shows it once',
  ASSAY_ADMIN_SECRET_KEY: 'see `ASSAY_ADMIN_ACCESS_KEY`',
  ASSAY_RATE_LIMIT: 'requests per second and key, with bursts of twice as many; 0: no limit',
  ASSAY_FAILED_AUTHENTICATION_LIMIT:
    'failed authentications per second and address, with bursts of five times as many; 0: no limit',
  ASSAY_TENANT_MAX_MB:
    'megabytes of events that each tenant may store; above that, its writes get 403, except those of keys, while crawls and scheduled runs continue; 0: no limit',
  ASSAY_UPSTREAM_TIMEOUT_SECONDS: 'how long a service may take to answer',
  ASSAY_UPSTREAM_CONNECT_TIMEOUT_MS: 'how long a connection to a service may take',
  ASSAY_UPSTREAM_MAX_REQUESTS: 'maximum number of concurrent requests to each service',
  ASSAY_DATA_DIR: 'folder of the event log, the read models and, without `ASSAY_RESULTS_DIR`, the results',
  ASSAY_SOURCES: 'folders or files to crawl, comma-separated',
  ASSAY_SAMPLES: '`off`: the first start does not crawl the bundled samples',
  ASSAY_SCHEDULE_CONTRACT:
    'selects the policy types that cannot be scheduled; guide: DATA_DRIFT, SCHEMA_DRIFT and PROFILE_ANOMALY (501); interface: DATA_FRESHNESS (422)',
}
