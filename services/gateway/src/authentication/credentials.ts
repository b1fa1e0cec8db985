/** A key pair as sent. */
export interface Credentials {
  accessKey: string
  secretKey: string
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>

const bearer = /^Bearer +([A-Za-z0-9+/_-]+=*) *$/i

function ofBearer(authorization: string): Credentials | undefined {
  const encoded = bearer.exec(authorization)?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1 || colon === text.length - 1) return undefined
  return { accessKey: text.slice(0, colon), secretKey: text.slice(colon + 1) }
}

function ofHeaders(accessKey: unknown, secretKey: unknown): Credentials | undefined {
  if (typeof accessKey !== 'string' || typeof secretKey !== 'string' || accessKey === '' || secretKey === '')
    return undefined
  return { accessKey, secretKey }
}

/**
 * The key pair of a request, from the headers `accessKey` and `secretKey` or from `Authorization: Bearer
 * base64(accessKey:secretKey)`. `undefined` if there is none, if half of it is missing, or if both forms are sent and
 * differ. Other `Authorization` schemes are ignored: they may be for a proxy.
 */
export function credentialsIn(headers: Headers): Credentials | undefined {
  const { accesskey, secretkey, authorization } = headers
  const hasHeaders = accesskey !== undefined || secretkey !== undefined
  const hasBearer = typeof authorization === 'string' && /^bearer\b/i.test(authorization)
  const sent = hasHeaders ? ofHeaders(accesskey, secretkey) : undefined
  if (!hasBearer) return sent
  const fromBearer = ofBearer(authorization)
  if (!hasHeaders) return fromBearer
  const same = sent?.accessKey === fromBearer?.accessKey && sent?.secretKey === fromBearer?.secretKey
  return same ? sent : undefined
}
