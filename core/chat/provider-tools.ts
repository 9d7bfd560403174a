/**
 * Actions that a provider would take on its own in a messages call: its own tools, MCP servers that the caller names,
 * features enabled by a beta header. The gateway cannot make decisions on them, so even if tools pass
 * (`messages.tool_use`), only actions listed in the configuration are allowed [messages.provider-run].
 */

import type { Configuration } from '#core/contracts/config.ts';
import { asText } from '#core/kernel/as-text.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { globMatches } from '#core/text/matching/glob.ts';

type MessagesSettings = Configuration['messages'];

/** Tools whose calls return to the caller, so that the tool policy applies to them. */
const callerRun = ['custom', 'bash_*', 'text_editor_*', 'computer_*', 'memory_*'];

const matchesAny = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => globMatches(pattern, name));

/** Headers for the provider, with lower-case names. */
type PassedHeaders = Readonly<Record<string, string>>;

/**
 * Refuses actions that the configuration does not list.
 * @throws GatewayError `invalid_request` stating what was found and what is allowed.
 */
export function refuseProviderRun(settings: MessagesSettings, body: JsonObject): void {
  if (isGiven(body.mcp_servers))
    throw toolsRefusal('mcp_servers', 'none: the gateway itself connects to the servers in upstreams.mcp');
  if (isGiven((body.container as JsonObject | undefined)?.skills)) throw toolsRefusal('container.skills', 'none');
  for (const [at, tool] of asList(body.tools).entries()) {
    const type = (tool as JsonObject | null)?.type ?? 'custom';
    if (typeof type !== 'string' || !matchesAny([...callerRun, ...settings.provider_tools], type))
      throw toolsRefusal(
        `tools[${at}] of type ${JSON.stringify(type)}, which the provider runs itself`,
        `tools of your own (without type), ${callerRun.join(', ')} and the types that messages.provider_tools lists`,
      );
  }
  for (const beta of [...asList(body.betas), ...asList(body.anthropic_beta)].map(String))
    if (!matchesAny(settings.betas, beta))
      throw toolsRefusal(`the beta ${JSON.stringify(beta)}`, `what messages.betas lists: ${settings.betas.join(', ')}`);
}

/**
 * Removes betas that are not listed. The feature stays disabled at the provider, and a client newer than the list still
 * works [messages.provider-run].
 */
export function listedBetas(
  settings: MessagesSettings,
  passed: PassedHeaders,
): { readonly passed: PassedHeaders; readonly leftOut: readonly string[] } {
  const { 'anthropic-beta': header, ...others } = passed;
  if (header === undefined) return { passed, leftOut: [] };
  const betas = header
    .split(',')
    .map((beta) => beta.trim())
    .filter(Boolean);
  const listed = betas.filter((beta) => matchesAny(settings.betas, beta));
  return {
    passed: { ...others, ...(listed.length > 0 && { 'anthropic-beta': listed.join(',') }) },
    leftOut: betas.filter((beta) => !listed.includes(beta)).map((beta) => `anthropic-beta ${beta}`),
  };
}

/** Checks whether a reply block is from a provider-run tool that the configuration does not list. */
export function isProviderRun(block: Json | undefined, { provider_tools }: MessagesSettings): block is JsonObject {
  const { type, name } = (block ?? {}) as JsonObject;
  if (typeof type !== 'string' || type === 'tool_use' || type === 'tool_result') return false;
  if (!/_tool_(?:use|result)$/.test(type)) return false;
  // Listed tool names end in a date; the types of their calls and results begin with the part before it.
  const tool =
    typeof name === 'string' && type === 'server_tool_use' ? name : type.replace(/_tool_(?:use|result)$/, '');
  return !provider_tools.some((listed) => globMatches(listed, tool) || listed.startsWith(`${tool}_`));
}

/** Returns the text that replaces such a block. */
export const providerRunText = ({ name, type }: JsonObject): string =>
  `[${asText(name ?? type)} was blocked because the provider ran it without a decision from the gateway.]`;

const asList = (value: Json | undefined): Json[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

const isGiven = (value: Json | undefined): boolean => asList(value).length > 0;

const toolsRefusal = (found: string, allowed: string) => invalidRequest(`Found ${found}; allowed: ${allowed}.`);
