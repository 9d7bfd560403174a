/** Normalises patterns of targets like targets, so that `./docs//**` means `docs/**`. */

const url = /^([a-z][a-z0-9+.-]*):\/\/([^/]*)(.*)$/is;
const defaultPorts: Readonly<Record<string, string>> = { http: '80', https: '443', ws: '80', wss: '443', ftp: '21' };

export function normalPattern(pattern: string): string {
  const parts = url.exec(pattern);
  if (!parts) return normalPath(pattern);
  const scheme = parts[1]!.toLowerCase();
  const host = parts[2]!.toLowerCase().replace(new RegExp(`:${defaultPorts[scheme] ?? '-'}$`), '');
  // A target always has a path: `https://host` becomes `https://host/`.
  const path = parts[3] === '' && !host.endsWith('**') ? '/' : collapse(parts[3]!);
  return `${scheme}://${host}${path}`;
}

function normalPath(pattern: string): string {
  const collapsed = collapse(pattern).replace(/^(?:\.\/)+(?=.)/, '');
  return collapsed.length > 1 && /[^\\]\/$/.test(collapsed) ? collapsed.slice(0, -1) : collapsed;
}

/** Collapses repeated slashes, except those of a scheme (`https://`). */
const collapse = (path: string): string => path.replace(/\/(?:\.\/)+/g, '/').replace(/(?<!:)\/{2,}/g, '/');
