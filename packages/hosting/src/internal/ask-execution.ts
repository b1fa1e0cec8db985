import { currentTrace, type Identity, type IdentitySigner, identityHeader, traced } from '@assay/service-kit'
import { internalAccessKey } from './access-key.ts'

/** How another service reaches the execution service. */
export interface ExecutionAddress {
  /** Address of the execution service. */
  url: string
  /** The calling service. */
  service: string
  signer: Pick<IdentitySigner, 'sign'>
}

/** Posts JSON to an internal route of the execution service. Rejects if there is no answer, or none in JSON. */
export function createAskExecution({ url, service, signer }: ExecutionAddress, path: string) {
  const address = `${url}${path}`
  const options = {
    kind: 'client' as const,
    attributes: () => ({
      'http.request.method': 'POST',
      'url.full': address,
      'server.address': new URL(url).hostname,
      'peer.service': 'assay-execution',
    }),
  }

  async function post(of: Omit<Identity, 'accessKey'>, body: object, signal: AbortSignal) {
    const identity = { ...of, accessKey: internalAccessKey(service) }
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [identityHeader]: signer.sign(identity), ...currentTrace() },
      body: JSON.stringify(body),
      signal,
    })
    const answer: unknown = await response.json()
    return { status: response.status, answer }
  }

  return (of: Omit<Identity, 'accessKey'>, body: object, signal: AbortSignal) =>
    traced(`POST ${path}`, options, () => post(of, body, signal))
}
