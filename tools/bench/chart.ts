// A bar chart of ratios as SVG; the line at 1 is where both sides are equal.

export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export function chartOf(title: string, bars: readonly Bar[]): string {
  const rowHeight = 22;
  const left = 24 + 6.5 * Math.max(0, ...bars.map((bar) => bar.label.length));
  const width = 420;
  const height = 40 + bars.length * rowHeight;
  const most = Math.max(1.2, ...bars.map((bar) => bar.high));
  const x = (value: number) => (left + (value / most) * width).toFixed(1);
  const rows = bars.map((bar, index) => {
    const y = 32 + index * rowHeight;
    const middle = y + 7;
    return [
      `<text x="${left - 8}" y="${y + 11}" text-anchor="end">${escape(bar.label)}</text>`,
      `<rect x="${left}" y="${y}" width="${(Number(x(bar.value)) - left).toFixed(1)}" height="14" fill="${bar.value >= 1 ? '#2a7f62' : '#b5532a'}"/>`,
      `<line x1="${x(bar.low)}" x2="${x(bar.high)}" y1="${middle}" y2="${middle}" stroke="#222"/>`,
      `<text x="${left + width + 8}" y="${y + 11}">${bar.value.toFixed(2)}</text>`,
    ].join('\n');
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + width + 60}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="12" y="18" font-weight="bold">${escape(title)}</text>`,
    ...rows,
    `<line x1="${x(1)}" x2="${x(1)}" y1="26" y2="${height - 6}" stroke="#222" stroke-dasharray="3 3"/>`,
    '</svg>',
  ].join('\n')}\n`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
