/**
 * Returns the content policy that applies to a call. The filters and their RE2 engine are loaded with the first
 * configuration that has filters, so a gateway without filters does not load them.
 */
import type { Configuration } from '#core/contracts/config.ts';
import { remembered } from '#core/kernel/remembered.ts';
import type { ContentPolicyPorts } from './compile.ts';
import type { ContentPolicy, Verdict } from './ports.ts';

type FilterConfiguration = Pick<Configuration, 'policies' | 'transform' | 'tenants'>;

/** Returns the policy, cached for the lifetime of the configuration. */
export async function contentPolicyOf(
  configuration: FilterConfiguration,
  tenantId: string,
  ports: ContentPolicyPorts,
): Promise<ContentPolicy> {
  if (!hasFilters(configuration)) return withoutFilters;
  compiling ??= import('./compile.ts');
  const { contentPolicyFor } = await compiling;
  return contentPolicyFor(configuration, tenantId, ports);
}

/** Module loaded once, because a dynamic import costs a lookup on every call. */
let compiling: Promise<typeof import('./compile.ts')> | undefined;

/** Checks per tenant, because one tenant may strip personal data even if others do not. */
const hasFilters = remembered(
  ({ policies, transform, tenants }: FilterConfiguration): boolean =>
    policies.input.length > 0 ||
    policies.output.length > 0 ||
    // A configuration may have a thousand tenants, and each call needs the result.
    [{ transform }, ...tenants].some((each) => each.transform?.response?.strip_pii),
);

const nothingFound: Verdict = { decision: 'allow', findings: [] };

const withoutFilters: ContentPolicy = {
  inputIdle: true,
  inputQuick: true,
  outputIdle: true,
  checkInput: async () => nothingFound,
  checkOutput: async () => nothingFound,
  streamOutput: () => ({
    push: (_channel, text) => text,
    end: () => '',
    open: () => [],
    verdict: () => nothingFound,
  }),
};
