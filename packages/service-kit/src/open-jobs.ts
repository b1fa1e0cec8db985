import { AssayError } from './errors.ts'

/** Maximum numbers of open jobs of one kind. Further jobs are refused. */
export const openJobLimits = { perKey: 50, perTenant: 100 }
const retryAfterSeconds = 10

export interface JobOwner {
  tenant: string
  /** Absent for jobs of an earlier process. */
  accessKey?: string
}

/** Counts the open jobs of one kind in this process, by key and by tenant. */
export interface OpenJobs {
  /** Counts a new job. Throws `rate-limited` if the key or its tenant has reached its limit. */
  admit(owner: JobOwner): OpenJob
  /** Like `admit`; `undefined` if it is refused. */
  tryAdmit(owner: JobOwner): OpenJob | undefined
  /** Counts an existing open job, without a limit. */
  count(owner: JobOwner): OpenJob
}

export interface OpenJob {
  /** Omitted if unknown. */
  readonly owner?: JobOwner
  /** Call it when the job has ended. Idempotent. */
  end(): void
}

/** `what`: the name of the jobs in plural, for the text of a refusal. */
export function createOpenJobs(what: string, limits = openJobLimits): OpenJobs {
  const counts = new Map<string, number>()
  const keysOf = ({ tenant, accessKey }: JobOwner) => ({
    ofTenant: JSON.stringify([tenant]),
    ofKey: accessKey === undefined ? undefined : JSON.stringify([tenant, accessKey]),
  })
  const change = (key: string | undefined, by: number) => {
    if (key === undefined) return
    const next = (counts.get(key) ?? 0) + by
    if (next > 0) counts.set(key, next)
    else counts.delete(key)
  }

  function count(owner: JobOwner): OpenJob {
    const { ofTenant, ofKey } = keysOf(owner)
    let by = 1
    change(ofTenant, by)
    change(ofKey, by)
    return {
      owner,
      end() {
        change(ofTenant, -by)
        change(ofKey, -by)
        by = 0
      },
    }
  }

  function refusalOf(owner: JobOwner): AssayError | undefined {
    const { ofTenant, ofKey } = keysOf(owner)
    if (ofKey !== undefined && (counts.get(ofKey) ?? 0) >= limits.perKey)
      return tooManyOpen('This key', what, limits.perKey)
    if ((counts.get(ofTenant) ?? 0) >= limits.perTenant) return tooManyOpen('This tenant', what, limits.perTenant)
    return undefined
  }

  return {
    count,
    tryAdmit: (owner) => (refusalOf(owner) === undefined ? count(owner) : undefined),
    admit(owner) {
      const refusal = refusalOf(owner)
      if (refusal !== undefined) throw refusal
      return count(owner)
    },
  }
}

/** The error for a key or tenant that has `most` open jobs. `whose`: the subject of the message. */
export function tooManyOpen(whose: string, what: string, most: number): AssayError {
  return new AssayError(
    'rate-limited',
    `${whose} has ${most} open ${what}, the maximum. Wait for some to end, or cancel them.`,
    { retryAfterSeconds },
  )
}
