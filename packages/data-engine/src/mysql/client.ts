import { connect as connectSocket, isIP, type Socket } from 'node:net'
import { type Connection as Client, createConnection } from 'mysql2'
import type { Target } from '../databases/reach.ts'
import type { ServerSource } from '../dataset.ts'
import { hasNoTls, openingFailure } from './failures.ts'

type Tls = 'verified' | 'any' | 'none'

/**
 * A socket to an address. The driver gets only the host's name, so that TLS checks the name. If the host has no name,
 * TLS takes it from the socket; without a name there, TLS would check for `localhost`.
 */
function socketTo(address: string, { host, port }: { host: string; port: number }): Socket {
  const socket = connectSocket({ host: address, port, keepAlive: true, keepAliveInitialDelay: 30_000, noDelay: true })
  return isIP(host) === 0 ? socket : Object.assign(socket, { _host: host })
}

function clientOf({ source, password }: Target<ServerSource>, address: string, tls: Tls): Client {
  const { host, port, database, user, tlsCa, connectTimeoutSeconds } = source
  const ssl = {
    rejectUnauthorized: tls === 'verified',
    verifyIdentity: tls === 'verified',
    ...(tlsCa === undefined ? {} : { ca: tlsCa }),
  }
  const client = createConnection({
    ...{ host, port, database, user, password, charset: 'utf8mb4', connectTimeout: connectTimeoutSeconds * 1000 },
    stream: () => socketTo(address, { host, port }),
    ...(tls === 'none' ? {} : { ssl }),
    ...{ rowsAsArray: true, supportBigNumbers: true, disableEval: true, flags: ['-LOCAL_FILES'] },
    connectAttributes: { program_name: 'assay' },
    // Receives bytes, because text, numbers and times are decoded differently.
    typeCast: (field) => field.buffer(),
  })
  // If the server ends an idle session, the next statement reports it.
  client.on('error', () => undefined)
  return client
}

/** Rejects when `signal` aborts, too: the driver does not report that a client was destroyed while it connects. */
function opened(client: Client, seconds: number, signal?: AbortSignal): Promise<Client> {
  return new Promise((resolve, reject) => {
    const late = AbortSignal.timeout(seconds * 1000)
    // The server accepts connections, but does not answer.
    late.addEventListener('abort', () => reject(new Error('timeout')), { once: true })
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    client.connect((error) => (error === null ? resolve(client) : reject(error)))
  })
}

/**
 * A session of the server, without settings. Tries each address of the host. Throws `unprocessable` with the reason.
 */
export async function openClient(target: Target<ServerSource>, signal?: AbortSignal): Promise<Client> {
  const { source, addresses } = target
  const modes: readonly Tls[] = source.tls === true ? ['verified'] : source.tls === false ? ['none'] : ['any', 'none']
  let failure: unknown
  for (const address of addresses) {
    for (const tls of modes) {
      signal?.throwIfAborted()
      const client = clientOf(target, address, tls)
      const abandon = () => client.destroy()
      signal?.addEventListener('abort', abandon, { once: true })
      try {
        return await opened(client, source.connectTimeoutSeconds, signal)
      } catch (error) {
        client.destroy()
        signal?.throwIfAborted()
        failure = error
        if (!hasNoTls(error)) break
      } finally {
        signal?.removeEventListener('abort', abandon)
      }
    }
  }
  throw openingFailure(failure, source)
}
