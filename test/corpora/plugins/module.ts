/**
 * Runs a plugin from this repository on a text as the gateway does: in a fresh instance, with the ABI's host call
 * sequence.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkContent } from '#adapters/wasm/check.ts';
import { compileModule } from '#adapters/wasm/module.ts';

export type Flag = (text: string) => string | undefined;

const metadata = { tenant_id: 'default', model: 'mock', provider: 'mock', phase: 'input' } as const;
const encoder = new TextEncoder();

/** @returns the plugin's message for text that it flags; undefined for text that it lets pass. */
export async function pluginNamed(name: string): Promise<Flag> {
  const module = await compileModule(readFileSync(join(import.meta.dirname, '../../../plugins', `${name}.wasm`)));
  return (text) => {
    const result = checkContent({ module, content: encoder.encode(text), metadata });
    return result.flagged ? (result.message ?? '') : undefined;
  };
}
