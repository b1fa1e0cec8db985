import { readFileSync } from 'node:fs'
import { createSecureContext, getCACertificates } from 'node:tls'
import { AssayError } from '@assay/service-kit/errors'
import { type ChannelCredentialOptions, EventStoreDBClient } from '@eventstore/db-client'
import { type ConnectionSettings, parseConnectionString } from './connection-string.ts'

function contentOf(path: string, option: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw new AssayError(
      'invalid',
      `The file that ${option} names cannot be read. Check its path and its permissions.`,
      {
        cause,
      },
    )
  }
}

function channelCredentials({ tls, tlsCaFile, userCertFile, userKeyFile }: ConnectionSettings) {
  const options: ChannelCredentialOptions = { insecure: !tls }
  // The client has its own list, which lacks certificates added by NODE_EXTRA_CA_CERTS and --use-system-ca.
  if (tls) options.rootCertificate = Buffer.from(getCACertificates('default').join('\n'))
  if (tlsCaFile !== undefined) {
    options.rootCertificate = contentOf(tlsCaFile, 'tlsCaFile')
    // Node accepts a file without a certificate and then trusts no server.
    if (!options.rootCertificate.includes('-----BEGIN CERTIFICATE-----'))
      throw new AssayError('invalid', 'The file that tlsCaFile names has no certificate in PEM form.')
  }
  if (userCertFile !== undefined && userKeyFile !== undefined) {
    options.userCertFile = contentOf(userCertFile, 'userCertFile')
    options.userKeyFile = contentOf(userKeyFile, 'userKeyFile')
  }
  try {
    createSecureContext({ ca: options.rootCertificate, cert: options.userCertFile, key: options.userKeyFile })
  } catch (cause) {
    const text = 'The certificates that the connection string of the event store names cannot be used.'
    const advice = 'Both files must be PEM, and userKeyFile must be the key of userCertFile.'
    throw new AssayError('invalid', `${text} ${advice}`, { cause })
  }
  return options
}

/**
 * The client for a connection string; it connects at the first call. The string is parsed here, because the client's
 * parser cuts a password at its second colon, and writes the whole string to the console for an unknown option and
 * whenever `DEBUG` is set. Error: `invalid`.
 */
export function clientOf(connectionString: string): EventStoreDBClient {
  const settings = parseConnectionString(connectionString)
  const { discover, hosts, user, numbers, connectionName } = settings
  const credentials = channelCredentials(settings)
  const more = { ...numbers, ...(connectionName === undefined ? {} : { connectionName }) }
  const [first] = hosts
  if (first === undefined) throw new AssayError('invalid', 'The connection string of the event store has no host.')
  if (discover) return new EventStoreDBClient({ discover: first, ...more }, credentials, user)
  if (hosts.length > 1) return new EventStoreDBClient({ endpoints: hosts, ...more }, credentials, user)
  return new EventStoreDBClient({ endpoint: first, ...more }, credentials, user)
}
