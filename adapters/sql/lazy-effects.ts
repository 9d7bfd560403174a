/** The effect readers, loaded at the first call that is governed: most functions never are. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { Effects } from '#core/effects/ports.ts';
import { loadedOnce } from '#core/kernel/loaded-once.ts';

const readers = loadedOnce(() => import('./effect-reader.ts'));

export async function lazyEffects(call: ToolCall): Promise<Effects> {
  const { readCallEffects } = await readers();
  return readCallEffects(call);
}
