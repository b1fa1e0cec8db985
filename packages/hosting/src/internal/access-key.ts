/**
 * The caller in tokens of services. No access key has this form, so a token that the gateway signs for a caller cannot
 * be mistaken for one of a service.
 */
export const internalAccessKey = (service: string): string => `internal:${service}`
export const isInternal = (accessKey: string): boolean => accessKey.startsWith('internal:')
