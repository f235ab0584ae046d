/** CPU microseconds of one unit of `work(count)`, the median of `rounds` after a warm-up. */
export async function cpuMicros(work, { count, rounds = 15, warmUp = 3 }) {
  for (let round = 0; round < warmUp; round += 1) await work(count);
  const samples = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    await work(count);
    const { user, system } = process.cpuUsage(before);
    samples.push((user + system) / count);
  }
  return median(samples);
}

export function median(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** One row: what, the figure, its floor and the bar. */
export function row(what, figure, { floor, bar, unit = "µs" } = {}) {
  return { what, figure, floor, bar, unit };
}

export function printRows(title, rows) {
  console.log(`\n${title}`);
  for (const { what, figure, floor, bar, unit } of rows) {
    const parts = [`${format(figure)} ${unit}`];
    if (floor !== undefined) parts.push(`floor ${format(floor)}, ${(figure / floor).toFixed(1)} x`);
    if (bar !== undefined) parts.push(`bar ${bar}${figure <= bar ? "" : "  OVER"}`);
    console.log(`  ${what.padEnd(52)} ${parts.join(" · ")}`);
  }
}

function format(value) {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
