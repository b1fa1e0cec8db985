import { maskText } from '@assay/contracts'
import { expect, it } from 'vitest'
import { maskedProof } from './proof.ts'

it('given a hidden column, then a proof has no value of any column that is compared with it', () => {
  const row = { id: 1, ssn: 's', name: 's', copy: 's' }
  const proof = { kind: 'ROW', left: row, right: row } as const
  const isHidden = (side: string, column: string) => side === 'LEFT' && column === 'ssn'
  const mapped = (leftColumnName: string, rightColumnName: string) => ({ leftColumnName, rightColumnName })
  const mappings = [mapped('id', 'id'), mapped('name', 'copy'), mapped('ssn', 'Copy')]
  const left = { ...row, ssn: maskText, name: maskText }
  expect(maskedProof(proof, { mappings }, isHidden)).toEqual({ ...proof, left, right: { ...row, copy: maskText } })
  const right = { ...row, ssn: maskText }
  expect(maskedProof({ ...proof, left: null }, { mappings: [] }, isHidden)).toEqual({ kind: 'ROW', left: null, right })
})
