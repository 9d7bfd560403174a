/** Request transforms: adds the prompts of the platform and the tenant around the system prompt. */
import type { JsonObject } from '#core/kernel/json.ts';
import type { ChatCall } from '../call.ts';

/**
 * Builds the system prompt: platform prefix, tenant prefix, the tenant's own prompt, the caller's prompt, tenant
 * suffix, platform suffix.
 */
export function transformRequest(call: ChatCall): JsonObject {
  const [prefix, suffix] = promptsAround(call);
  if (prefix === '' && suffix === '') return call.body;
  return call.wire.withSystemPrompt(call.body, prefix, suffix);
}

/** Returns the text before and after the caller's system prompt; each is empty if there is none. */
export function promptsAround({ snapshot, tenant }: ChatCall): readonly [before: string, after: string] {
  const { transform } = snapshot.configuration;
  const own = tenant.transform;
  const before = [transform.system_prompt_prefix, own?.system_prompt_prefix, tenant.system_prompt];
  const after = [own?.system_prompt_suffix, transform.system_prompt_suffix];
  return [joinParagraphs(before), joinParagraphs(after)];
}

const joinParagraphs = (parts: readonly (string | undefined)[]): string => parts.filter((part) => part).join('\n\n');
