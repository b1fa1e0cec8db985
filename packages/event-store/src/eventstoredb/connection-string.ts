import { AssayError } from '@assay/service-kit/errors'

/** The parsed connection string. Files appear as paths; they are not read here. */
export interface ConnectionSettings {
  /** One host name resolves to all nodes of a cluster (`esdb+discover`). */
  discover: boolean
  hosts: Host[]
  user?: { username: string; password: string }
  tls: boolean
  /** The authority trusted for the server's certificate, instead of Node's own. */
  tlsCaFile?: string
  /** The client's certificate and key: both, or neither. */
  userCertFile?: string
  userKeyFile?: string
  connectionName?: string
  numbers: Partial<Record<NumberOption, number>>
}

export interface Host {
  address: string
  port: number
}

type NumberOption = (typeof numberOptions)[number]
type FileOption = (typeof fileOptions)[number]

const numberOptions = [
  'maxDiscoverAttempts',
  'discoveryInterval',
  'gossipTimeout',
  'keepAliveInterval',
  'keepAliveTimeout',
] as const
const fileOptions = ['tlsCaFile', 'userCertFile', 'userKeyFile'] as const
const flags = ['tls', 'tlsVerifyCert'] as const
const known = [...flags, ...fileOptions, 'nodePreference', 'connectionName', ...numberOptions]
const defaultPort = 2113
const form = /^(?:esdb|kurrentdb)(?<discover>\+discover)?:\/\/(?<authority>[^?]*)(?:\?(?<options>.*))?$/s

/**
 * The message quotes no part of the string, because any part may be a piece of a password that was not encoded
 * correctly.
 */
function unreadable(problem: string): AssayError {
  const text = `The connection string of the event store cannot be read: ${problem}.`
  return new AssayError('invalid', `${text} Write esdb://user:password@host:2113?tls=true.`)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw unreadable('it has a % that is not part of a percent code; write %25 for a literal %')
  }
}

function hostOf(text: string): Host {
  const match = /^(?<address>\[[\da-f:.]+\]|[\w.-]+)(?::(?<port>\d{1,5}))?$/i.exec(text.trim())
  const { address, port = String(defaultPort) } = match?.groups ?? {}
  if (address === undefined || Number(port) < 1 || Number(port) > 65_535)
    throw unreadable(
      'hosts must be host:port, joined by commas, and @ : / ? % in a user or password must be percent codes',
    )
  return { address, port: Number(port) }
}

function userOf(text: string): { username: string; password: string } {
  // A colon in the password may stay unencoded: the name ends at the first one.
  const end = text.indexOf(':')
  if (end < 1 || end === text.length - 1) throw unreadable('credentials need a name and a password, name:password@')
  return { username: decoded(text.slice(0, end)), password: decoded(text.slice(end + 1)) }
}

/** Options by normalised name: case, - and _ are ignored. */
function optionsOf(text: string): Map<string, string> {
  const options = new Map<string, string>()
  for (const part of text.split('&').filter((each) => each !== '')) {
    const end = part.indexOf('=')
    const flat = part.slice(0, Math.max(end, 0)).trim().toLowerCase().replace(/[_-]/g, '')
    const name = known.find((each) => each.toLowerCase() === flat)
    // The client would ignore it, and write the whole string to the console.
    if (name === undefined) throw unreadable(`it has an unknown option. Known options are ${known.join(', ')}`)
    options.set(name, decoded(part.slice(end + 1).trim()))
  }
  return options
}

function flag(options: ReadonlyMap<string, string>, name: (typeof flags)[number]): boolean {
  const value = options.get(name) ?? 'true'
  if (value !== 'true' && value !== 'false') throw unreadable(`${name} must be true or false`)
  return value === 'true'
}

function filesOf(options: ReadonlyMap<string, string>, tls: boolean): Partial<Record<FileOption, string>> {
  const files: Partial<Record<FileOption, string>> = {}
  for (const name of fileOptions) {
    const path = options.get(name)
    if (path === undefined) continue
    if (path === '') throw unreadable(`${name} has no file`)
    if (!tls) throw unreadable(`${name} requires tls=true`)
    files[name] = path
  }
  if ((files.userCertFile === undefined) !== (files.userKeyFile === undefined))
    throw unreadable('userCertFile and userKeyFile must be given together')
  return files
}

/**
 * Parses `esdb://`, `esdb+discover://` and the same with `kurrentdb`. TLS is on unless `tls=false`. Throws `invalid`
 * with a message that quotes no part of the string. Refuses unknown options, which would be ignored silently, disabled
 * verification of certificates, and a preference for nodes other than the leader, which lag behind appends.
 */
export function parseConnectionString(text: string): ConnectionSettings {
  const { discover, authority = '', options: rest = '' } = form.exec(text.trim())?.groups ?? {}
  const end = authority.lastIndexOf('@')
  const hosts = authority
    .slice(end + 1)
    .replace(/\/+$/, '')
    .split(',')
    .map(hostOf)
  if (discover !== undefined && hosts.length > 1)
    throw unreadable(
      'esdb+discover takes one host name, which must resolve to all nodes; use esdb:// for several hosts',
    )
  const options = optionsOf(rest.replace(/\/+$/, ''))
  const tls = flag(options, 'tls')
  if (!flag(options, 'tlsVerifyCert'))
    throw unreadable(
      'certificates are always checked (tlsVerifyCert cannot be off); set tlsCaFile to the file of their authority',
    )
  if ((options.get('nodePreference') ?? 'leader').toLowerCase() !== 'leader')
    throw unreadable('nodePreference must be leader, because other nodes lag behind appends')
  const numbers: ConnectionSettings['numbers'] = {}
  for (const name of numberOptions) {
    const value = options.get(name)
    if (value === undefined) continue
    if (!/^(\d{1,9}|-1)$/.test(value)) throw unreadable(`${name} must be a whole number`)
    numbers[name] = Number(value)
  }
  const connectionName = options.get('connectionName')
  return {
    discover: discover !== undefined,
    hosts,
    tls,
    numbers,
    ...(end < 0 ? {} : { user: userOf(authority.slice(0, end)) }),
    ...filesOf(options, tls),
    ...(connectionName === undefined ? {} : { connectionName }),
  }
}
