/** Content policies for tests, and two ways to check text with them. */

import type { ContentFilter, Transform } from '#core/contracts/config.ts';
import { compileContentPolicy } from '#core/models/content-policy/compile.ts';
import type { ContentContext, ContentPolicy, Verdict, WasmRunner } from '#core/models/content-policy/ports.ts';
import type { TextWork } from '#core/models/content-policy/text-work.ts';

export const context: ContentContext = { tenant_id: 'acme', model: 'mock', provider: 'mock' };

const noWasm: WasmRunner = { check: () => Promise.reject(new Error('no WASM filter is configured')) };

export function policyOf(
  {
    input = [],
    output = [],
    governance_mode = 'governance' as 'governance' | 'permissive',
    break_glass = false,
    transform = {},
  }: {
    input?: ContentFilter[];
    output?: ContentFilter[];
    governance_mode?: 'governance' | 'permissive';
    break_glass?: boolean;
    transform?: Transform;
  },
  wasm: WasmRunner = noWasm,
  tenant?: { id: string; transform?: Transform },
  texts?: TextWork,
): ContentPolicy {
  const policies = { governance_mode, break_glass, input, output };
  return compileContentPolicy({ policies, transform }, tenant, { wasm, texts });
}

/** Filters the whole text in one step with the output filters. */
export async function whole(policy: ContentPolicy, text: string): Promise<{ text: string; verdict: Verdict }> {
  let left = text;
  const slot = {
    text,
    set: (changed: string) => {
      left = changed;
    },
  };
  const verdict = await policy.checkOutput([slot], context);
  return { text: left, verdict };
}

/** Filters the text in pieces, without WASM filters. */
export function streamed(policy: ContentPolicy, pieces: readonly string[]): { released: string; verdict: Verdict } {
  const scan = policy.streamOutput(context);
  let released = '';
  for (const piece of pieces) released += scan.push('0', piece) as string;
  released += scan.end('0') as string;
  return { released, verdict: scan.verdict() };
}

export function cutAt(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set([0, ...cuts.filter((cut) => cut < text.length), text.length])].sort((a, b) => a - b);
  return places.slice(1).map((end, i) => text.slice(places[i], end));
}
