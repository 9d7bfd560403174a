/** A configured upstream with its defaults. */
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import { configurationSchema } from '#features/configuration.ts';

export function entry(given: object = {}): McpUpstreamEntry {
  const { upstreams } = configurationSchema.parse({
    version: 1,
    tenants: [{ id: 'default', api_keys: ['key-of-the-tenant-1'] }],
    upstreams: { mcp: [{ name: 'one', url: 'http://one.test/mcp', ...given }] },
  });
  return upstreams.mcp[0]!;
}
