/** A server's tool, as one segment of an address and as an admin API path. */

/** Returns the address of a tool. Server names do not contain slashes. */
export const toolAddress = (upstream: string, tool: string): string => `${upstream}/${tool}`;

export function ofAddress(id: string): readonly [upstream: string, tool: string] {
  const at = id.indexOf('/');
  return [id.slice(0, Math.max(at, 0)), id.slice(at + 1)];
}

export const pathOf = (upstream: string, tool: string, act = ''): string =>
  `mcp/tools/${encodeURIComponent(tool)}${act}?upstream=${encodeURIComponent(upstream)}`;
