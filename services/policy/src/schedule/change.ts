import { cronProblem, isTimeZone, type ScheduleRequest } from '@assay/contracts'
import { refusal } from '../definition/refusal.ts'
import type { PolicyCommand } from '../policy/decide.ts'

type Change = Extract<PolicyCommand, { kind: 'SetSchedule' }>['change']

/** The checked change of a schedule call. Throws `invalid` naming the field, or if it changes nothing. */
export function scheduleChange({ scheduled, cronExpression, timeZone, executionType }: ScheduleRequest): Change {
  if (scheduled === undefined && cronExpression === undefined && timeZone === undefined && executionType === undefined)
    throw refusal('scheduled', 'at least one of scheduled, cronExpression, timeZone and executionType is needed')
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw refusal('timeZone', `'${timeZone}' is not an IANA time zone; use for example Europe/Berlin`)
  const problem = cronExpression === undefined ? undefined : cronProblem(cronExpression, timeZone ?? 'UTC')
  if (problem !== undefined) throw refusal('cronExpression', problem)
  return { scheduled, schedule: cronExpression, timeZone, scheduleExecutionType: executionType }
}

/** The routes by kind apply only `scheduled`. Throws `invalid` if it is missing. */
export function switchedSchedule({ scheduled }: ScheduleRequest): Change {
  if (scheduled === undefined) throw refusal('scheduled', 'is needed')
  return { scheduled }
}
