/** Request transforms: what the platform and the tenant put around the system prompt. */
import type { JsonObject } from '#core/kernel/json.ts';
import type { ChatCall } from '../call.ts';

/** The tenant's own system prompt stands first, then prefix, the caller's words, suffix: the platform's outermost. */
export function transformRequest(call: ChatCall): JsonObject {
  const [prefix, suffix] = promptsAround(call);
  if (prefix === '' && suffix === '') return call.body;
  return call.wire.withSystemPrompt(call.body, prefix, suffix);
}

/** What stands before and after the caller's system prompt; empty where nothing does. */
export function promptsAround({ snapshot, tenant }: ChatCall): readonly [before: string, after: string] {
  const { transform } = snapshot.configuration;
  const own = tenant.transform;
  const before = [transform.system_prompt_prefix, own?.system_prompt_prefix, tenant.system_prompt];
  const after = [own?.system_prompt_suffix, transform.system_prompt_suffix];
  return [joined(before), joined(after)];
}

const joined = (parts: readonly (string | undefined)[]): string => parts.filter((part) => part).join('\n\n');
