import type { ScoreHistory } from '../scores/score.ts'

const height = 72
const width = 9
const gap = '<td width="2"></td>'

/** Behind the bars: where a score is successful, warned, and failed; without limits, one colour. */
const bands = { success: '#e3f4e6', warning: '#fdf3d3', error: '#fbe4e4', none: '#f1f1f1' }
const bars: Readonly<Record<string, string>> = { SUCCESSFUL: '#2f855a', WARNING: '#b7791f', ERRORED: '#c53030' }

/** With at most two decimals, rounded down, so that what failed is never 100. */
const shown = (score: number) => String(Math.floor(score * 100) / 100)

const limits = ({ passes }: ScoreHistory) =>
  [
    ...(passes === null ? [] : [`successful from ${shown(passes.success)}`]),
    ...(passes?.warning == null ? [] : [`warning from ${shown(passes.warning)}`]),
  ].join(', ')

/** `Scores of the last 3 runs: 100, 98.25, 71.6 (successful from 90).` Pure. */
export function scoreText(history: ScoreHistory): string {
  const { scores } = history
  const of = limits(history)
  const runs = scores.length === 1 ? 'Score of the run' : `Scores of the last ${scores.length} runs`
  return `${runs}: ${scores.map(({ score }) => shown(score)).join(', ')}${of === '' ? '' : ` (${of})`}.`
}

const cell = (pixels: number, colour: string) =>
  `<tr><td height="${pixels}" bgcolor="${colour}" style="height:${pixels}px;font-size:0;line-height:0">&nbsp;</td></tr>`

/**
 * A plot as nested tables of coloured cells: mail programs show it without loading anything, and without images. It is
 * read aloud as its text. Pure.
 */
export function scorePlot(history: ScoreHistory): string {
  const { scores, passes } = history
  const lowest = Math.min(...scores.map(({ score }) => score), passes?.warning ?? passes?.success ?? 100)
  const from = Math.max(0, Math.floor((lowest - 5) / 10) * 10)
  const pixels = (score: number) => Math.round(((Math.min(score, 100) - from) / (100 - from)) * height)
  /** From the top down: until which pixel a colour reaches. */
  const layers: [until: number, colour: string][] =
    passes === null
      ? [[0, bands.none]]
      : [
          [pixels(passes.success), bands.success],
          [pixels(passes.warning ?? passes.success), bands.warning],
          [0, bands.error],
        ]
  /** A bar, and the layers above it. */
  const stack = (size: number, bar: number, colour: string) => {
    let top = height
    const above = layers.map(([until, of]) => {
      const rest = top - Math.max(until, bar)
      if (rest <= 0) return ''
      top -= rest
      return cell(rest, of)
    })
    const rows = [...above, bar > 0 ? cell(bar, colour) : ''].join('')
    return `<td width="${size}" valign="bottom"><table cellpadding="0" cellspacing="0" border="0" width="${size}">${rows}</table></td>`
  }
  const columns = scores.map(({ score, verdict }) =>
    stack(width, Math.max(2, pixels(score)), bars[verdict] ?? '#555555'),
  )
  const text = scoreText(history)
  const [first, last] = [scores[0]?.at.slice(0, 10) ?? '', scores.at(-1)?.at.slice(0, 10) ?? '']
  const dates = first === last ? first : `${first} to ${last}`
  const label = (align: string, at: number) =>
    `<tr><td height="${height / 2}" valign="${align}" style="color:#666;font-size:11px;line-height:11px;padding-right:6px">${at}</td></tr>`
  return [
    `<table role="img" aria-label="${text}" cellpadding="0" cellspacing="0" border="0" style="margin:12px 0 4px"><tr>`,
    `<td><table cellpadding="0" cellspacing="0" border="0">${label('top', 100)}${label('bottom', from)}</table></td>`,
    [stack(5, 0, ''), ...columns].join(gap),
    '</tr></table>',
    `<p style="margin:0;color:#666;font-size:12px">${dates}. ${text}</p>`,
  ].join('')
}
