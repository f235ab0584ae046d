/**
 * Why a path must not be used on Windows, as a clause; undefined if it may. Refused are the spellings that name something
 * else than a file below a folder: network shares, devices, streams of a file, and names that Windows silently changes.
 */
export function refuseWin32Path(path: string): string | undefined {
  if (/^[\\/]{2}/.test(path)) return "it names a network share or a device";
  if (/^[A-Za-z]:(?![\\/])/.test(path)) return "it is relative to the current folder of a drive";
  const segments = path.replace(/^[A-Za-z]:/, "").split(/[\\/]+/);
  return segments.map(refuseSegment).find((why) => why !== undefined);
}

function refuseSegment(segment: string): string | undefined {
  if (segment === "" || segment === "." || segment === "..") return undefined;
  if (segment.includes(":")) return "a colon in it names another stream of the file";
  if (/[. ]$/.test(segment)) return "a name in it ends with a dot or a blank, which Windows drops";
  return DEVICE_NAME.test(segment) ? "a name in it is reserved for a device" : undefined;
}

// Learn, "Naming Files, Paths, and Namespaces": reserved with any extension; the superscript digits count too.
const DEVICE_NAME = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\..*)?$/i;
