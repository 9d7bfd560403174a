/** Which of the configured guard holds for one server. */
import type { Configuration, McpUpstreamEntry } from '#core/contracts/config.ts';
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
