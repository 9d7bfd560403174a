/** Scores texts by the WASM module of a content policy filter. */

import type { ClassifierSettings } from '#core/contracts/config/tool-guard-classifier.ts';
import type { Configuration, ContentFilter } from '#core/contracts/config.ts';
import { moduleOf } from '#core/models/content-policy/wasm-modules.ts';
import { type ClassificationRequest, ClassifierFault, type ClassifierPorts, type Scorer } from './ports.ts';

type Settings = Extract<ClassifierSettings, { type: 'wasm' }>;
type WasmFilter = Extract<ContentFilter, { type: 'wasm' }>;

/** Returns the filter of that name; output filters come before input filters. */
const namedFilter = ({ policies }: Pick<Configuration, 'policies'>, name: string): WasmFilter | undefined =>
  [...policies.output, ...policies.input].find(
    (filter): filter is WasmFilter => filter.type === 'wasm' && filter.name === name,
  );

export function scoredByModule(
  ports: ClassifierPorts | undefined,
  { snapshot, caller }: ClassificationRequest,
  { filter: wanted, timeout_ms }: Settings,
): Scorer {
  const filter = namedFilter(snapshot.configuration, wanted);
  return {
    name: { classifier: `wasm:${wanted}`, version: filter?.sha256 ?? 'none' },
    async score(text) {
      if (filter?.sha256 === undefined) throw new ClassifierFault('not_available');
      const { flagged, score } = await ports!.wasm.check({
        module: moduleOf(filter),
        content: new TextEncoder().encode(text),
        // The model reads the result next, so it is input.
        metadata: { tenant_id: caller.tenant, model: '', provider: '', phase: 'input' },
        timeoutMs: timeout_ms,
      });
      return { score: flagged ? (score ?? 1) : 0 };
    },
  };
}
