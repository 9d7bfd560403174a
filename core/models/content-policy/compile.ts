/** The content policy of a tenant, made of the configuration. */
import type { Configuration, Transform } from '#core/contracts/config.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { Filters } from './filters.ts';
import { stripPii } from './personal-data.ts';
import type { ContentPolicy, WasmRunner } from './ports.ts';
import { OutputScan } from './stream-scan.ts';
import type { TextWork } from './text-work.ts';

export interface ContentPolicyPorts {
  readonly wasm: WasmRunner;
  /** Where large texts are looked at; without it, here. */
  readonly texts: TextWork | undefined;
}

/**
 * Patterns are compiled when they are first needed; keep the policy as long as the configuration.
 * `strip_pii`, of all tenants or of one, is a redaction behind the configured output filters.
 */
export function compileContentPolicy(
  { policies, transform }: Pick<Configuration, 'policies' | 'transform'>,
  tenant: { readonly id: string; readonly transform?: Transform | undefined } | undefined,
  ports: ContentPolicyPorts,
): ContentPolicy {
  const lenient = policies.governance_mode === 'permissive' || policies.break_glass;
  const strips = transform.response?.strip_pii || tenant?.transform?.response?.strip_pii;
  const input = new Filters(policies.input, 'input', lenient, ports);
  const output = new Filters(strips ? [...policies.output, stripPii] : policies.output, 'output', lenient, ports);
  return {
    inputIdle: input.idle,
    inputQuick: input.quick,
    outputIdle: output.idle,
    checkInput: (texts, context) => input.check(texts, context),
    checkOutput: (texts, context) => output.check(texts, context),
    streamOutput: (context) => new OutputScan(output, context),
  };
}

type Filtered = Pick<Configuration, 'policies' | 'transform' | 'tenants'>;

/** By runner and configuration: those compiled so far. */
const compiledFor = remembered((_: WasmRunner) => remembered((_: Filtered) => new Map<string, ContentPolicy>()));

/** The same, remembered for as long as the configuration lives; tenants with like transforms share one. */
export function contentPolicyFor(configuration: Filtered, tenantId: string, ports: ContentPolicyPorts): ContentPolicy {
  const policies = compiledFor(ports.wasm)(configuration);
  const tenant = configuration.tenants.find(({ id }) => id === tenantId);
  const key = tenant?.transform?.response?.strip_pii ? 'strips' : 'plain';
  const policy = policies.get(key) ?? compileContentPolicy(configuration, tenant, ports);
  policies.set(key, policy);
  return policy;
}
