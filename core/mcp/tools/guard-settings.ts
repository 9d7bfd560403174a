/** Which of the configured guard holds for one server. */

import type { ToolGuard } from '#core/contracts/config/tool-guard.ts';
import type { Configuration, McpUpstreamEntry } from '#core/contracts/config.ts';
import { loadedOnce } from '#core/kernel/loaded-once.ts';
import { resultKinds } from '#core/tool-guard/finding.ts';
import type { ResultActions } from '#core/tool-guard/results.ts';
import type { GuardSettings } from './look-over.ts';

const recorded = Object.fromEntries(resultKinds.map((kind) => [kind, 'log'])) as unknown as ResultActions;

/** @param method of the request whose answer is looked over. */
export function resultGuard(
  { tool_guard }: Pick<Configuration, 'tool_guard'>,
  { guard }: McpUpstreamEntry,
  method = 'tools/call',
): GuardSettings | undefined {
  if (guard === 'off') return undefined;
  return { actions: guard === 'log' ? recorded : tool_guard.results, prompt: method === 'prompts/get' };
}

/** What is done about definitions, and what looks at them. */
export interface DefinitionGuard {
  readonly actions: ToolGuard['definitions'];
  readonly changes: ToolGuard['changes'];
  /** What arguments that do not fit the schema come to. */
  readonly schema: ToolGuard['arguments_schema'];
  readonly look: typeof import('#core/tool-guard/changes.ts') &
    typeof import('#core/tool-guard/definitions.ts') &
    typeof import('#core/tool-guard/shadowing.ts');
}

const look = loadedOnce(async (): Promise<DefinitionGuard['look']> => {
  const [changes, definitions, shadowing] = await Promise.all([
    import('#core/tool-guard/changes.ts'),
    import('#core/tool-guard/definitions.ts'),
    import('#core/tool-guard/shadowing.ts'),
  ]);
  return { ...changes, ...definitions, ...shadowing };
});

/** Loaded with the first definition; undefined where the guard of the server acts on nothing. */
export async function definitionGuard(
  { tool_guard }: Pick<Configuration, 'tool_guard'>,
  { guard }: McpUpstreamEntry,
): Promise<DefinitionGuard | undefined> {
  if (guard !== 'on') return undefined;
  return {
    actions: tool_guard.definitions,
    changes: tool_guard.changes,
    schema: tool_guard.arguments_schema,
    look: await look(),
  };
}
