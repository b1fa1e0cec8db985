import { describe, expect, test } from 'vitest'
import { answerHeaders, requestHeaders } from './headers.ts'

describe('given the headers of a request', () => {
  test('when a request is forwarded, then headers of the connection, credentials and the host are dropped, and other headers stay', () => {
    const kept = requestHeaders(
      {
        host: 'assay.example',
        connection: 'keep-alive, X-Secret-Hop',
        'x-secret-hop': '1',
        'keep-alive': 'timeout=5',
        te: 'trailers',
        'transfer-encoding': 'chunked',
        accesskey: 'a',
        secretkey: 's',
        authorization: 'Bearer x',
        cookie: 'y',
        'x-request-id': 'given',
        'content-type': 'application/json',
        'content-length': '2',
        traceparent: '00-1-2-01',
        'x-assay-identity': 'signed',
        'x-assay-position': 'catalog:1',
        prefer: 'handling=strict',
      },
      { requestId: 'r-1', hasBody: true },
    )
    expect(kept).toEqual({
      'content-type': 'application/json',
      'content-length': '2',
      traceparent: '00-1-2-01',
      'x-assay-identity': 'signed',
      'x-assay-position': 'catalog:1',
      prefer: 'handling=strict',
      'x-request-id': 'r-1',
    })
  })

  test('when no body is sent, then no header announces one', () => {
    const kept = requestHeaders({ 'content-length': '9', accept: '*/*' }, { requestId: 'r', hasBody: false })
    expect(kept).toEqual({ accept: '*/*', 'x-request-id': 'r' })
  })
})

test('given an answer, when its headers are passed back, then headers of the connection are dropped', () => {
  const back = answerHeaders({
    connection: 'close, x-hop',
    'x-hop': '1',
    'transfer-encoding': 'chunked',
    'x-request-id': 'r',
    'content-type': 'text/csv',
    'x-assay-ignored': 'rule.colour',
    'set-cookie': ['a', 'b'],
  })
  expect(back).toEqual([
    ['content-type', 'text/csv'],
    ['x-assay-ignored', 'rule.colour'],
    ['set-cookie', ['a', 'b']],
  ])
})
