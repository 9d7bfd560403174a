/** Scores by a WASM module: the one of a filter of the content policies. */

import type { ClassifierSettings } from '#core/contracts/config/tool-guard-classifier.ts';
import type { Configuration, ContentFilter } from '#core/contracts/config.ts';
import { moduleOf } from '#core/models/content-policy/wasm-modules.ts';
import { type ClassificationRequest, ClassifierFault, type ClassifierPorts, type Scorer } from './ports.ts';

type Settings = Extract<ClassifierSettings, { type: 'wasm' }>;
type WasmFilter = Extract<ContentFilter, { type: 'wasm' }>;

/** The filter of that name; one of the output before one of the input. */
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
        // A result is what the model reads next.
        metadata: { tenant_id: caller.tenant, model: '', provider: '', phase: 'input' },
        timeoutMs: timeout_ms,
      });
      return { score: flagged ? (score ?? 1) : 0 };
    },
  };
}
