/** Loads the effect readers on the first governed call, because most functions never get one. */
import type { OwnPrograms } from '#core/contracts/config/catalog.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { Effects } from '#core/effects/ports.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';

const readers = lazyImport(() => import('./effect-reader.ts'));

export async function lazyEffects(call: ToolCall, programs?: OwnPrograms): Promise<Effects> {
  const { readCallEffects } = await readers();
  return readCallEffects(call, programs);
}
