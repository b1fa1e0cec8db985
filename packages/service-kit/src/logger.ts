import { type DestinationStream, pino } from 'pino'
import { currentIds } from './telemetry/trace.ts'

type Write = (fields: object, message: string) => void

/**
 * One JSON line per event, with `trace_id` and `span_id` if the work belongs to a trace. Fields with names of secrets
 * are removed at any depth.
 */
export interface Logger {
  debug: Write
  info: Write
  warn: Write
  error: Write
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'

const secret = /accesskey|secret|password|token|authorization|cookie|credential/i

/** A copy without secrets, at most five levels deep. Errors become their message, code and stack. */
function withoutSecrets(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth >= 5) return '[deep]'
  if (value instanceof Error) {
    return {
      name: value.name,
      message: value.message,
      stack: value.stack,
      ...('code' in value ? { code: value.code } : {}),
      ...(value.cause === undefined ? {} : { cause: withoutSecrets(value.cause, depth + 1) }),
    }
  }
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (Array.isArray(value)) return value.slice(0, 100).map((each) => withoutSecrets(each, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, secret.test(key) ? '[secret]' : withoutSecrets(each, depth + 1)]),
  )
}

/** Writes to standard error by default, because standard output is for the results of commands. */
export function createLogger(options: { level: LogLevel; destination?: DestinationStream }): Logger {
  const log = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination ?? pino.destination({ dest: 2, sync: true }),
  )
  const write =
    (level: 'debug' | 'info' | 'warn' | 'error'): Write =>
    (fields, message) => {
      if (!log.isLevelEnabled(level)) return
      log[level](Object.assign({ ...currentIds() }, withoutSecrets(fields)), message)
    }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}
