import { describe, expect, test } from 'vitest'
import { createCircuit } from './circuit.ts'

function opened() {
  const clock = { time: 1_000, now: () => clock.time }
  const circuit = createCircuit(clock)
  for (let index = 0; index < 5; index++) circuit.failed()
  return { clock, circuit }
}

describe('given a circuit', () => {
  test('when successes interrupt the failures, then it stays closed', () => {
    const circuit = createCircuit({ now: () => 0 })
    for (let index = 0; index < 20; index++) {
      circuit.failed()
      if (index % 4 === 3) circuit.succeeded()
    }
    expect([circuit.enter(), circuit.isOpen()]).toEqual([0, false])
  })

  test('when five requests in a row fail, then the circuit admits none for two seconds, and then one', () => {
    const { clock, circuit } = opened()
    expect([circuit.enter(), circuit.isOpen()]).toEqual([2_000, true])
    clock.time += 1_500
    expect(circuit.enter()).toBe(500)
    clock.time += 500
    expect([circuit.enter(), circuit.enter()]).toEqual([0, 2_000])
  })

  test('when the probe fails, then the circuit stays open; when the probe succeeds, then the circuit closes', () => {
    const { clock, circuit } = opened()
    clock.time += 2_000
    expect(circuit.enter()).toBe(0)
    circuit.failed()
    expect(circuit.enter()).toBe(2_000)
    clock.time += 2_000
    expect(circuit.enter()).toBe(0)
    circuit.succeeded()
    expect([circuit.enter(), circuit.enter()]).toEqual([0, 0])
  })

  test('when the caller of the probe leaves, then the next request is the probe', () => {
    const { clock, circuit } = opened()
    clock.time += 2_000
    circuit.enter()
    circuit.abandoned()
    expect(circuit.enter()).toBe(0)
  })
})
