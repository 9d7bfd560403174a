/** Request transforms: adds the prompts of the platform and the tenant around the system prompt. */
import type { JsonObject } from '#core/kernel/json.ts';
import type { ChatCall } from '../call.ts';

/** Builds the system prompt: the tenant's own, prefix, the caller's words, suffix, with the platform's outermost. */
export function transformRequest(call: ChatCall): JsonObject {
  const [prefix, suffix] = promptsAround(call);
  if (prefix === '' && suffix === '') return call.body;
  return call.wire.withSystemPrompt(call.body, prefix, suffix);
}

/** Returns the texts before and after the caller's system prompt; empty if there are none. */
export function promptsAround({ snapshot, tenant }: ChatCall): readonly [before: string, after: string] {
  const { transform } = snapshot.configuration;
  const own = tenant.transform;
  const before = [transform.system_prompt_prefix, own?.system_prompt_prefix, tenant.system_prompt];
  const after = [own?.system_prompt_suffix, transform.system_prompt_suffix];
  return [joinParagraphs(before), joinParagraphs(after)];
}

const joinParagraphs = (parts: readonly (string | undefined)[]): string => parts.filter((part) => part).join('\n\n');
