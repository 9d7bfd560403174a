/**
 * Tools that a responses request groups under a name, as Codex does with its own and with those of MCP servers. A chat completion has one
 * list of tools, so each is called `<namespace>__<tool>` there, and by its own name again in the answer [responses.namespaces].
 */
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { objectsOf, textOf } from '#core/kernel/narrow.ts';

/** What providers take as the name of a function. */
const nameForm = /^[A-Za-z0-9_-]{1,64}$/;

/** The name in the chat completion; that of the tool where it stands in no namespace. */
export const flatName = (namespace: Json | undefined, name: Json | undefined): string => {
  const own = textOf(name) ?? '';
  const group = textOf(namespace) ?? '';
  return group === '' ? own : `${group}__${own}`;
};

interface GroupedTool {
  readonly name: string;
  /** Of the chat completion. */
  readonly flat: string;
  readonly tool: JsonObject;
  /** Whether a chat completion can hold the tool under this name. */
  readonly fits: boolean;
}

/** The tools of one namespace, in their order. */
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

/** How the answer names a call: its name, and its namespace where it has one. */
export type QualifiedToolName = Readonly<{ name: string; namespace?: string }>;

/** The tool's own name by that of the chat completion. */
export function ownNamesOf({ tools }: JsonObject): (flat: string) => QualifiedToolName {
  const names = new Map<string, QualifiedToolName>();
  for (const group of objectsOf(tools)) {
    if (group.type !== 'namespace') continue;
    for (const { name, flat } of toolsOfNamespace(group))
      names.set(flat, { name, namespace: textOf(group.name) ?? '' });
  }
  return (flat) => names.get(flat) ?? { name: flat };
}
