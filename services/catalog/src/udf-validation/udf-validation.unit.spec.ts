import { expect, it } from 'vitest'
import {
  decideUdfValidation,
  evolveUdfValidation,
  initialUdfValidation,
  type UdfValidationCommand,
  type UdfValidationState,
} from './udf-validation.ts'

const after = (...commands: UdfValidationCommand[]) =>
  commands.reduce<UdfValidationState>(
    (state, command) => decideUdfValidation(command, state).reduce(evolveUdfValidation, state),
    initialUdfValidation,
  )
const definition = { code: 'a > 1', udfType: 'FILTER' as const, udfDataType: 'BOOLEAN' as const }
const task = { definition, variables: [], assetId: null, selectedColumns: [], hiddenColumns: [] }
const at = '2026-01-01T10:00:00.000Z'
const of = { requestId: 'r', udfId: 1, at, by: 'ann' }
const request: UdfValidationCommand = {
  type: 'RequestValidation',
  ...of,
  task,
  testData: 't/v/r/input',
  showsProtected: false,
}
const claim = (hour: number): UdfValidationCommand => ({
  type: 'ClaimValidation',
  worker: 'w',
  at: `2026-01-01T${hour}:00:00.000Z`,
  until: `2026-01-01T${hour}:01:00.000Z`,
})

it('given a worker that has lost its claim, then its commands have no effect', () => {
  const takenOver = after(request, claim(10), claim(11))
  const succeed = { type: 'SucceedValidation', at, artifact: 't/v/r/a' } as const
  for (const command of [
    { ...succeed, fence: 1 },
    { type: 'FailValidation', fence: 1, at, error: 'e' },
    { type: 'ReleaseValidation', fence: 1, at },
    { type: 'ExpireValidation', at, error: 'e' },
  ] as const)
    expect(decideUdfValidation(command, takenOver)).toEqual([])
  expect(decideUdfValidation({ ...succeed, fence: 2 }, takenOver)).toMatchObject([{ type: 'UdfValidationSucceeded' }])
})
