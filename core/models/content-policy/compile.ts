/** Compiles a tenant's content policy from the configuration. */
import type { Configuration, Transform } from '#core/contracts/config.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { Filters } from './filters.ts';
import { stripPii } from './personal-data.ts';
import type { ContentPolicy, WasmRunner } from './ports.ts';
import { OutputScan } from './stream-scan.ts';
import type { TextWork } from './text-work.ts';

export interface ContentPolicyPorts {
  readonly wasm: WasmRunner;
  /** Worker for large texts; if undefined, the current thread scans them. */
  readonly texts: TextWork | undefined;
}

/**
 * Compiles the policy. Patterns are compiled when first needed, so keep the policy as long as the configuration.
 * `strip_pii`, for all tenants or for one, adds a redaction after the configured output filters.
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

type FilterConfiguration = Pick<Configuration, 'policies' | 'transform' | 'tenants'>;

/**
 * Compiled policies by runner and filters, shared by configurations that differ only in their tenants
 * [tenants.at-scale].
 */
const compiledFor = remembered((_: WasmRunner) =>
  remembered((_: FilterConfiguration['policies']) =>
    remembered((_: FilterConfiguration['transform']) => new Map<string, ContentPolicy>()),
  ),
);

/**
 * Returns the compiled policy, cached for the lifetime of the configuration and shared by tenants with the same
 * transforms.
 */
export function contentPolicyFor(
  configuration: FilterConfiguration,
  tenantId: string,
  ports: ContentPolicyPorts,
): ContentPolicy {
  const policies = compiledFor(ports.wasm)(configuration.policies)(configuration.transform);
  const tenant = configuration.tenants.find(({ id }) => id === tenantId);
  const key = tenant?.transform?.response?.strip_pii ? 'strips' : 'plain';
  const policy = policies.get(key) ?? compileContentPolicy(configuration, tenant, ports);
  policies.set(key, policy);
  return policy;
}
