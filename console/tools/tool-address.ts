/** A tool of a server as one part of an address, and as a path of the admin API. */

/** Returns the address of a tool. Names of servers contain no slash. */
export const addressOf = (upstream: string, tool: string): string => `${upstream}/${tool}`;

export function ofAddress(id: string): readonly [upstream: string, tool: string] {
  const at = id.indexOf('/');
  return [id.slice(0, Math.max(at, 0)), id.slice(at + 1)];
}

export const pathOf = (upstream: string, tool: string, act = ''): string =>
  `mcp/tools/${encodeURIComponent(tool)}${act}?upstream=${encodeURIComponent(upstream)}`;
