/** WASM filters: modules that evaluate text, behind a port. */

import type { ContentFilter } from '#core/contracts/config.ts';
import { moduleOf, timeoutMs } from '#core/models/content-policy/wasm-modules.ts';
import type { Phase, Tally } from './findings.ts';
import type { ContentContext, WasmRunner } from './ports.ts';

export type WasmFilter = Extract<ContentFilter, { type: 'wasm' }>;

const encoder = new TextEncoder();

/** WASM filters of a phase, which run in parallel on the text. */
export class WasmFilters {
  readonly filters: readonly { readonly index: number; readonly filter: WasmFilter }[];
  readonly #runner: WasmRunner;
  readonly #phase: Phase;

  constructor(filters: WasmFilters['filters'], runner: WasmRunner, phase: Phase) {
    this.filters = filters;
    this.#runner = runner;
    this.#phase = phase;
  }

  /**
   * Runs the filters. Never rejects.
   * @param asks selects the filters that have yet to run.
   */
  async check(text: string, context: ContentContext, tally: Tally, asks = (_filter: number) => true): Promise<void> {
    const asked = this.filters.filter(({ index }) => asks(index));
    if (asked.length === 0) return;
    const content = encoder.encode(text);
    const metadata = { ...filterMetadata(context), phase: this.#phase };
    await Promise.all(
      asked.map(async ({ index, filter }) => {
        try {
          const call = { module: moduleOf(filter), content, metadata, timeoutMs: timeoutMs(filter.timeout) };
          const { flagged, message } = await this.#runner.check(call);
          if (flagged) tally.found(index, 1, message === undefined ? [] : [message]);
        } catch {
          tally.erred(index, filter.on_error);
        }
      }),
    );
  }
}

/** Returns the part of the call that the module receives. */
const filterMetadata = ({ tenant_id, model, provider }: ContentContext): ContentContext => ({
  tenant_id,
  model,
  provider,
});
