/** The effect readers, loaded at the first call that is governed: most functions never are. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { Effects } from '#core/effects/ports.ts';

/** An import that was done before still resolves its address, so the module is kept. */
let readers: typeof import('./effect-reader.ts') | undefined;

export async function lazyEffects(call: ToolCall): Promise<Effects> {
  readers ??= await import('./effect-reader.ts');
  return readers.readCallEffects(call);
}
