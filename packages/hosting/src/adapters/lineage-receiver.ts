import { messageOf } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'

const timeoutMs = 10_000

/**
 * The receiver of OpenLineage events over HTTP: `POST <url>/api/v1/lineage`, with `apiKey` as Bearer token. `send`
 * throws `unavailable` if a retry may help: no answer within ten seconds, 429, or 5xx. Otherwise it returns whether the
 * receiver accepted the event.
 */
function createLineageReceiver({ url, apiKey }: { url: string; apiKey?: string | undefined }) {
  return {
    async send(event: object): Promise<'sent' | 'refused'> {
      const answer = await fetch(`${url}/api/v1/lineage`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify(event),
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      }).catch((error: unknown) => {
        throw new AssayError('unavailable', `The receiver of OpenLineage events does not answer: ${messageOf(error)}`)
      })
      await answer.body?.cancel()
      if (answer.status >= 500 || answer.status === 429)
        throw new AssayError('unavailable', `The receiver of OpenLineage events answered ${answer.status}.`)
      return answer.ok ? 'sent' : 'refused'
    },
  }
}

/** The receiver that `lineageVariables` choose, for the execution service. `undefined`: no events are sent. */
export function lineageOf(
  config: {
    ASSAY_INSTALLATION: string
    ASSAY_OPENLINEAGE_URL?: string | undefined
    ASSAY_OPENLINEAGE_API_KEY?: string | undefined
  },
  version: string,
) {
  const { ASSAY_OPENLINEAGE_URL: url, ASSAY_OPENLINEAGE_API_KEY: apiKey, ASSAY_INSTALLATION: installation } = config
  return url === undefined ? undefined : { receiver: createLineageReceiver({ url, apiKey }), installation, version }
}
