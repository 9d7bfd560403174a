/** The effect readers, loaded at the first call that is governed: most functions never are. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { Effects } from '#core/effects/ports.ts';

export async function lazyEffects(call: ToolCall): Promise<Effects> {
  const { readCallEffects } = await import('./effect-reader.ts');
  return readCallEffects(call);
}
