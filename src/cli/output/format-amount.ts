/** How long ago that was: `now`, `5 min ago`, `3 h ago`, `2 d ago`; the date where that says more. What is no time is shown as it is. */
export function formatAge(at: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(at)) / 60_000);
  if (Number.isNaN(minutes)) return at;
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.floor(hours / 24);
  return days < 30 ? `${days} d ago` : at.slice(0, "2026-01-31".length);
}

/** `512 B`, `1.5 kB`, `20 MB`. */
export function formatBytes(bytes: number): string {
  let amount = bytes;
  let unit = "B";
  for (const next of ["kB", "MB", "GB", "TB"]) {
    if (amount < 999.5) break;
    amount /= 1000;
    unit = next;
  }
  return `${unit === "B" || amount >= 10 ? Math.round(amount) : amount.toFixed(1)} ${unit}`;
}

/** `1 session`, `2 sessions`. */
export function formatCount(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}
