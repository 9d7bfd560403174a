/**
 * Tools that a responses request groups under a name, as Codex does with its own tools and those of MCP servers. A chat
 * completion has a single list of tools, so each tool is named `<namespace>__<tool>` there and gets its own name back
 * in the response [responses.create].
 */
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';

/** Format of function names that providers accept. */
const nameForm = /^[A-Za-z0-9_-]{1,64}$/;

/** Returns the name in the chat completion, which is the tool's own name if it has no namespace. */
export const flatName = (namespace: Json | undefined, name: Json | undefined): string => {
  const own = textOf(name) ?? '';
  const group = textOf(namespace) ?? '';
  return group === '' ? own : `${group}__${own}`;
};

interface GroupedTool {
  readonly name: string;
  /** Name in the chat completion. */
  readonly flat: string;
  readonly tool: JsonObject;
  /** True if a chat completion can contain the tool under this name. */
  readonly fits: boolean;
}

/** Returns the tools of one namespace, in order. */
export const toolsOfNamespace = ({ name: namespace, tools }: JsonObject): GroupedTool[] =>
  objectsOf(tools).map((tool) => {
    const flat = flatName(namespace, tool.name);
    const isCallers = tool.type === 'function' || tool.type === 'custom';
    return {
      name: textOf(tool.name) ?? '',
      flat,
      tool: { ...tool, name: flat },
      fits: isCallers && nameForm.test(flat),
    };
  });

interface OfferedTool {
  readonly path: string;
  readonly tool: Json;
  /** True if the tool replaces an earlier one of its name. */
  readonly later: boolean;
}

/**
 * Returns the tools that a request offers: those of `tools`, and those that Codex adds in the items of the input.
 * @throws GatewayError `invalid_request` if a member is not an array.
 */
export function offeredTools({ tools, input }: JsonObject): OfferedTool[] {
  const added = (Array.isArray(input) ? input : []).flatMap((item, at) => {
    const given = objectOf(item);
    return given?.type === 'additional_tools' ? toolsAt(given.tools, `input[${at}].tools`, true) : [];
  });
  return [...toolsAt(tools, 'tools', false), ...added];
}

function toolsAt(tools: Json | undefined, path: string, later: boolean): OfferedTool[] {
  if (tools === undefined || tools === null) return [];
  if (!Array.isArray(tools))
    throw invalidRequest(`${path} is not an array; allowed: an array of tools.`, { param: path });
  return tools.map((tool, at) => ({ path: `${path}[${at}]`, tool, later }));
}

/** Name of a call in the response, with its namespace if it has one. */
export type QualifiedToolName = Readonly<{ name: string; namespace?: string }>;

/** Returns a function that maps a name in the chat completion to the tool's own name. */
export function ownNamesOf(request: JsonObject): (flat: string) => QualifiedToolName {
  const names = new Map<string, QualifiedToolName>();
  for (const group of objectsOf(offeredTools(request).map(({ tool }) => tool))) {
    if (group.type !== 'namespace') continue;
    for (const { name, flat } of toolsOfNamespace(group))
      names.set(flat, { name, namespace: textOf(group.name) ?? '' });
  }
  return (flat) => names.get(flat) ?? { name: flat };
}
